//! Real crashes and loops. Each test starts this program again as its child, in which `child` does the work.

#![cfg(unix)]

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use phaser_rerun::{Abandoned, Rerun, VARIABLE, allow, attempt, end};

/// What the child does; without it `child` does nothing.
const CASE: &str = "RERUN_TEST_CASE";

/// The child of the other tests.
#[test]
fn child() {
    let Ok(case) = env::var(CASE) else { return };
    let mut event = Vec::new();
    io::stdin().read_to_end(&mut event).expect("is read");
    let time = match case.as_str() {
        "hook-loop" => Some(Duration::from_millis(50)),
        "hook-late" => Some(Duration::from_millis(300)),
        "hook-segv" => Some(Duration::from_secs(600)),
        _ => None,
    };
    let deadline = time.map(|time| Instant::now() + time);
    let variable = env::var(VARIABLE).ok();
    allow(variable.as_deref(), Rerun { stdin: Some(event.clone()), deadline });
    let run = |digest: u64, work: fn()| match attempt(|| digest, work) {
        Ok(()) => "done",
        Err(Abandoned::Crashed) => "crashed",
        Err(Abandoned::TimedOut) => "timed out",
    };
    let results = match case.as_str() {
        "segv" => vec![run(1, || ()), run(2, || raise(libc::SIGSEGV)), run(3, || ())],
        "abort" => vec![run(2, || std::process::abort())],
        "overflow" => vec![run(2, || drop(overflow(1)))],
        "overflow-of-thread" => {
            let thread = thread::spawn(move || run(2, || drop(overflow(1))));
            vec![thread.join().expect("ends")]
        }
        "two" => vec![
            run(2, || raise(libc::SIGILL)),
            run(3, || raise(libc::SIGFPE)),
            run(4, || raise(libc::SIGBUS)),
            run(5, || ()),
        ],
        "many" => (1..20).map(|digest| run(digest, || raise(libc::SIGSEGV))).collect(),
        "between" => {
            let before = run(1, || ());
            if before == "done" {
                raise(libc::SIGSEGV);
            }
            vec![before, run(2, || ())]
        }
        "hook-segv" => vec![run(1, || ()), run(2, || raise(libc::SIGSEGV)), run(3, || ())],
        "hook-loop" => vec![run(1, || ()), run(2, loop_forever), run(3, || ())],
        "hook-late" => {
            let before = run(1, || ());
            // Long after the deadline, but not in a piece of work.
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(700) {}
            vec![before]
        }
        "over" => {
            run(1, || ());
            end();
            raise(libc::SIGSEGV);
            vec![]
        }
        other => panic!("{other} is no case"),
    };
    let mut out = io::stdout();
    writeln!(out, "\nresults: {} of {}", results.join(", "), String::from_utf8_lossy(&event))
        .expect("is written");
}

#[expect(unsafe_code, reason = "no safe code sends a signal to its own thread")]
fn raise(signal: i32) {
    // SAFETY: takes no pointers.
    unsafe { libc::raise(signal) };
}

fn loop_forever() {
    loop {
        std::hint::spin_loop();
    }
}

#[expect(unconditional_recursion, reason = "overflows the stack")]
fn overflow(number: u64) -> Vec<u64> {
    let buffer = std::hint::black_box([number; 100]);
    let mut below = overflow(buffer[7] + 1);
    below.push(buffer[8]);
    below
}

fn output(case: &str) -> Output {
    let mut child = Command::new(env::current_exe().expect("is known"))
        .args(["child", "--exact", "--nocapture", "--test-threads", "1"])
        .env(CASE, case)
        .env_remove(VARIABLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    child.stdin.take().expect("is piped").write_all(b"event").expect("is read");
    child.wait_with_output().expect("ends")
}

fn results(case: &str) -> String {
    let output = output(case);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let line = stdout.lines().find_map(|line| line.strip_prefix("results: "));
    line.unwrap_or_else(|| panic!("{case}: {output:?}")).to_owned()
}

#[test]
fn abandons_only_the_crash() {
    assert_eq!(results("segv"), "done, crashed, done of event");
    assert_eq!(results("abort"), "crashed of event");
    assert_eq!(results("two"), "crashed, crashed, crashed, done of event");
}

#[test]
fn survives_stack_overflow() {
    assert_eq!(results("overflow"), "crashed of event");
    assert_eq!(results("overflow-of-thread"), "crashed of event");
}

#[test]
fn abandons_all_after_many_crashes() {
    assert_eq!(results("many"), format!("{} of event", ["crashed"; 19].join(", ")));
    assert_eq!(results("between"), "crashed, crashed of event");
}

#[test]
fn abandons_all_with_deadline() {
    assert_eq!(results("hook-segv"), "crashed, crashed, crashed of event");
    assert_eq!(results("hook-loop"), "timed out, timed out, timed out of event");
}

#[test]
fn timer_interrupts_work_only() {
    assert_eq!(results("hook-late"), "done of event");
}

#[test]
fn crash_after_end_is_final() {
    use std::os::unix::process::ExitStatusExt as _;
    assert_eq!(output("over").status.signal(), Some(libc::SIGSEGV));
}
