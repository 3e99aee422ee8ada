//! Output does not depend on how many threads made it.

use crate::harness::{Sandbox, forbid, warning};

#[test]
fn output_is_equal_for_any_thread_count() {
    let mut sandbox = Sandbox::new()
        .contract(&forbid("no-a", "a", "**/*.txt"))
        .contract(&forbid("no-ab", "ab", "**/*.txt"))
        .contract(&warning(&forbid("no-z", "z+", "**")));
    for number in 0..200 {
        let directory = number % 7;
        sandbox = sandbox
            .file(&format!("d{directory}/f{number}.txt"), format!("{number} ab za\n").repeat(number % 5));
    }
    sandbox = sandbox.file("d0/binary.txt", b"\0\0");
    for format in ["text", "json", "html"] {
        let run =
            |threads| sandbox.run(["enforce", "--all", "--format", format, "--threads", threads]).to_string();
        let one = run("1");
        assert!(one.contains("d6/f"), "{one}");
        for threads in ["2", "8"] {
            assert_eq!(run(threads), one, "{threads} threads");
        }
    }
}
