//! Standard input that is not waited for without end.

use std::io::{self, Read, Stdin};

/// Standard input; a read fails when nothing has come for ten seconds.
pub fn patient() -> impl Read {
    Patient(io::stdin())
}

struct Patient(Stdin);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.0)?;
        self.0.lock().read(buffer)
    }
}

/// Waits until there is something to read, or the end.
#[cfg(unix)]
fn wait(stdin: &Stdin) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };
    let mut stdin = [PollFd::new(stdin, PollFlags::IN)];
    loop {
        match poll(&mut stdin, Some(&PATIENCE)) {
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
