//! The signal handler, and what it needs.
//!
//! A handler may only call functions that are async-signal-safe: it may have interrupted an allocation. It reads atomics and
//! makes system calls; everything else is prepared by [`arm`].

use std::env;
use std::ffi::{CString, OsString, c_char, c_int};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::{ALL_CRASHED, ALL_TIMED_OUT, CURRENT, IS_OVER, MAX_CRASHES, RUNNING, State, VARIABLE};

/// The signals of a crash.
const CRASHES: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE];

/// How long after the deadline work may return on its own, and how often it is looked for after that.
const GRACE: Duration = Duration::from_millis(100);

/// The digits of a digest.
const DIGITS: usize = 16;

/// What the handler needs; set once, and never freed.
static PREPARED: OnceLock<PreparedRerun> = OnceLock::new();

/// Whether a thread is about to run the program again.
static IS_CLAIMED: AtomicBool = AtomicBool::new(false);

struct PreparedRerun {
    program: CString,
    arguments: Pointers,
    environment: Pointers,
    /// The value of the variable, in the environment: the earlier entries, room for one more, and a NUL.
    value: &'static [AtomicU8],
    /// The length of the earlier entries.
    earlier: usize,
    /// Whether one more crash abandons all work.
    is_last: bool,
    stdin: Option<File>,
}

/// A list of C strings that ends with a null pointer.
struct Pointers(Box<[AtomicPtr<c_char>]>);

impl Pointers {
    fn new(strings: impl IntoIterator<Item = *mut c_char>) -> Self {
        let ends = strings.into_iter().chain([std::ptr::null_mut()]);
        Self(ends.map(AtomicPtr::new).collect())
    }

    /// As `execve` takes it.
    fn as_ptr(&self) -> *const *const c_char {
        // An `AtomicPtr` has the layout of a pointer.
        self.0.as_ptr().cast()
    }
}

/// Installs the handlers and starts the timer. If something cannot be prepared, a crash ends the process as usual.
pub(crate) fn arm(state: &State) {
    let Ok(prepared) = PreparedRerun::new(state) else { return };
    PREPARED.get_or_init(|| prepared);
    for signal in CRASHES {
        // The signal is not blocked in the handler: it would stay blocked in the next run. After one signal the default
        // applies, so that a crash of the handler ends the process.
        install(signal, libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESETHAND);
    }
    if let Some(deadline) = state.rerun.deadline {
        start_timer(deadline);
    }
}

impl PreparedRerun {
    fn new(state: &State) -> io::Result<Self> {
        let earlier: String =
            state.abandoned.crashed.iter().map(|digest| format!("{digest:016x},")).collect();
        let prefix = format!("{VARIABLE}=");
        let entry = format!("{prefix}{earlier}{}\0", "0".repeat(DIGITS));
        let entry: Vec<AtomicU8> = entry.into_bytes().into_iter().map(AtomicU8::new).collect();
        let entry: &'static [AtomicU8] = entry.leak();
        let others = env::vars_os().filter(|(name, _)| name != VARIABLE).map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        });
        let environment = others.map(leaked).collect::<io::Result<Vec<_>>>()?;
        let arguments = env::args_os().map(leaked).collect::<io::Result<Vec<_>>>()?;
        let own_entry = entry.as_ptr().cast_mut().cast();
        Ok(Self {
            program: CString::new(program()?.into_vec())?,
            arguments: Pointers::new(arguments),
            environment: Pointers::new(environment.into_iter().chain([own_entry])),
            value: &entry[prefix.len()..],
            earlier: earlier.len(),
            is_last: state.rerun.deadline.is_some() || state.abandoned.crashed.len() + 1 >= MAX_CRASHES,
            stdin: state.rerun.stdin.as_deref().map(in_memory).transpose()?,
        })
    }

    /// Adds an entry to the variable.
    fn abandon(&self, is_late: bool) {
        match (is_late, CURRENT.get()) {
            (true, _) => self.write(0, ALL_TIMED_OUT.as_bytes()),
            (false, 0) => self.write(0, ALL_CRASHED.as_bytes()),
            (false, _) if self.is_last => self.write(0, ALL_CRASHED.as_bytes()),
            (false, digest) => {
                let mut digits = [0; DIGITS];
                for (at, digit) in digits.iter_mut().enumerate() {
                    *digit = b"0123456789abcdef"[(digest >> (60 - 4 * at)) as usize & 15];
                }
                self.write(self.earlier, &digits);
            }
        }
    }

    fn write(&self, at: usize, text: &[u8]) {
        for (to, byte) in self.value.iter().skip(at).zip(text.iter().chain(&[0])) {
            to.store(*byte, Ordering::Relaxed);
        }
    }
}

/// The path of this program. On Linux it stays valid when the file is replaced.
fn program() -> io::Result<OsString> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    env::current_exe().map(Into::into)
}

/// A C string that is never freed.
fn leaked(text: OsString) -> io::Result<*mut c_char> {
    Ok(CString::new(text.into_vec())?.into_raw())
}

/// A file with this content that has no name, and is read from its start by the next run.
fn in_memory(content: &[u8]) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    let mut file = File::from(rustix::fs::memfd_create("stdin", rustix::fs::MemfdFlags::CLOEXEC)?);
    #[cfg(not(target_os = "linux"))]
    let mut file = tempfile::tempfile()?;
    file.write_all(content)?;
    Ok(file)
}

/// Runs the program again after a crash, or if work still runs after the deadline.
extern "C" fn handle(signal: c_int) {
    let is_late = signal == libc::SIGALRM;
    if is_late && RUNNING.load(Ordering::SeqCst) == 0 {
        return;
    }
    run_again(is_late);
    if !is_late {
        end_by(signal);
    }
}

/// Returns only if the program cannot run again.
fn run_again(is_late: bool) {
    let Some(prepared) = PREPARED.get() else { return };
    if IS_OVER.load(Ordering::SeqCst) {
        return;
    }
    if IS_CLAIMED.swap(true, Ordering::SeqCst) {
        if !is_late {
            wait();
        }
        return;
    }
    prepared.abandon(is_late);
    execute(prepared);
}

#[expect(unsafe_code, reason = "signal handlers have no safe interface")]
fn install(signal: c_int, flags: c_int) {
    let handler: extern "C" fn(c_int) = handle;
    // SAFETY: all zeros is a valid 'sigaction': no handler, an empty mask and no flags. The pointers are valid for the call.
    // 'handle' has the signature of a handler without SA_SIGINFO and only makes calls that are async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = flags;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

/// Sends SIGALRM after the deadline, again and again. If the parent left a timer to this process, that timer stays.
#[expect(unsafe_code, reason = "interval timers have no safe interface")]
fn start_timer(deadline: Instant) {
    let left = deadline.saturating_duration_since(Instant::now()) + GRACE;
    let timer = libc::itimerval { it_interval: timeval(GRACE), it_value: timeval(left) };
    let mut earlier =
        libc::itimerval { it_interval: timeval(Duration::ZERO), it_value: timeval(Duration::ZERO) };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::getitimer(libc::ITIMER_REAL, &raw mut earlier) };
    if earlier.it_value.tv_sec != 0 || earlier.it_value.tv_usec != 0 {
        return;
    }
    install(libc::SIGALRM, libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART);
    // SAFETY: the pointer is valid for the call, and the handler of SIGALRM is installed.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

fn timeval(time: Duration) -> libc::timeval {
    libc::timeval {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        // Below a million, which fits every width of the type.
        tv_usec: time.subsec_micros() as libc::suseconds_t,
    }
}

/// Replaces this process by the next run. Returns only on failure.
#[expect(unsafe_code, reason = "called in a signal handler, where std::process::Command may not be used")]
fn execute(prepared: &PreparedRerun) {
    // SAFETY: all calls are system calls and async-signal-safe. The strings and lists are never freed, and end with NUL and a
    // null pointer. A timer survives 'execve', so it is stopped.
    unsafe {
        libc::alarm(0);
        if let Some(stdin) = &prepared.stdin {
            let stdin = stdin.as_raw_fd();
            if libc::lseek(stdin, 0, libc::SEEK_SET) != 0 || libc::dup2(stdin, 0) != 0 {
                return;
            }
        }
        libc::execve(prepared.program.as_ptr(), prepared.arguments.as_ptr(), prepared.environment.as_ptr());
    }
}

/// Gives another thread time to run the program again.
#[expect(unsafe_code, reason = "called in a signal handler")]
fn wait() {
    // SAFETY: 'sleep' is async-signal-safe and takes no pointers.
    unsafe { libc::sleep(1) };
}

/// Ends the process by the signal, whose handler was reset.
#[expect(unsafe_code, reason = "called in a signal handler")]
fn end_by(signal: c_int) {
    // SAFETY: 'raise' is async-signal-safe and takes no pointers.
    unsafe { libc::raise(signal) };
}
