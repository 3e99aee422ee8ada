//! Stdin with a timeout, and a copy of what was read.

use std::io::{self, Read, Stdin};

/// Stdin whose reads fail after ten seconds without input.
pub fn patient() -> StdinWithTimeout {
    StdinWithTimeout { stdin: io::stdin(), copy: Vec::new() }
}

pub struct StdinWithTimeout {
    stdin: Stdin,
    /// What has been read so far.
    pub copy: Vec<u8>,
}

impl Read for StdinWithTimeout {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.stdin)?;
        let len = self.stdin.lock().read(buffer)?;
        self.copy.extend_from_slice(&buffer[..len]);
        Ok(len)
    }
}

/// Waits for input or end of file, up to ten seconds.
#[cfg(unix)]
fn wait(stdin: &Stdin) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const TIMEOUT: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };
    let mut stdin = [PollFd::new(stdin, PollFlags::IN)];
    loop {
        match poll(&mut stdin, Some(&TIMEOUT)) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, "nothing came for ten seconds")),
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
fn wait(_: &Stdin) -> io::Result<()> {
    Ok(())
}
