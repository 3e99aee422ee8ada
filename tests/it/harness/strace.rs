//! strace, where it is installed and may be used.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{env, io, thread};

/// The path of strace. Without one that works, a line on standard error names the test that is skipped; in CI it fails.
pub fn path() -> Option<PathBuf> {
    static STRACE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let directories = env::var_os("PATH").unwrap_or_default();
        let mut paths = env::split_paths(&directories).map(|directory| directory.join("strace"));
        paths.find(|strace| {
            let mut command = Command::new(strace);
            command.args(["-o", "/dev/null", "true"]).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        })
    });
    if STRACE.is_none() {
        let test = thread::current().name().unwrap_or_default().to_owned();
        assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "{test} needs strace");
        // A test's own output is shown only if it fails, and this is not captured.
        let _ = writeln!(io::stderr(), "skipped: {test} (install strace)");
    }
    STRACE.clone()
}
