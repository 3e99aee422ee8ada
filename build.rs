//! Links the program so that a Linux with glibc starts it soonest, because a hook pays for its start with every edit
//! (docs/performance.md): at a fixed address, so that nothing in it has to be relocated, and in a build that is optimised
//! also with the libraries of the system in it, so that none has to be loaded.
//!
//! The latter needs the static library of glibc, which not every system has (Debian: `libc6-dev`). Whether it works is
//! tried on a program of one line, in the way in which phaser is linked; if not, libraries are loaded as usual.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The libraries that the compiler names, and what is taken for them.
const LIBRARIES: [(&str, &str); 7] = [
    ("gcc_s", "gcc_eh"),
    ("util", "util"),
    ("rt", "rt"),
    ("pthread", "pthread"),
    ("m", "m"),
    ("dl", "dl"),
    ("c", "c"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    let is_static =
        env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|one| one == "crt-static"));
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") || is_static {
        return;
    }
    let mut arguments = vec!["-no-pie".to_owned()];
    if is("PROFILE", "release") {
        arguments.extend(static_libraries().into_iter().flatten());
    }
    // Only for the program: whoever uses the library links as they like.
    for argument in arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// The arguments that take the system's libraries into the program, if that works here.
fn static_libraries() -> Option<[String; 2]> {
    let directory = PathBuf::from(env::var_os("OUT_DIR")?).join("static");
    fs::create_dir_all(&directory).ok()?;
    // The compiler names libraries to be loaded. Found here first, each is a script that names a static one.
    for (named, taken) in LIBRARIES {
        let script = format!("GROUP ( -l:lib{taken}.a -l:libc.a )\n");
        fs::write(directory.join(format!("lib{named}.so")), script).ok()?;
    }
    let arguments = ["-static".to_owned(), format!("-L{}", directory.to_str()?)];
    works(&directory, &arguments)?.then_some(arguments)
}

/// Can a program be linked like this, and does it run?
fn works(directory: &Path, arguments: &[String]) -> Option<bool> {
    let target = env::var("TARGET").ok()?;
    if env::var("HOST").ok()? != target {
        return None;
    }
    let (source, program) = (directory.join("probe.rs"), directory.join("probe"));
    fs::write(&source, "fn main() { println!(\"{:.0}\", f64::from(std::process::id()).powf(0.0)) }\n")
        .ok()?;
    let mut compile = Command::new(env::var_os("RUSTC")?);
    compile.arg("--edition=2021").arg("--target").arg(&target).arg("-Cpanic=abort").arg("-o").arg(&program);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compile.arg(format!("-Clinker={linker}"));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compile.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    compile.arg("-Clink-arg=-no-pie").args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    let compiled = compile.arg(&source).output().ok()?;
    Some(compiled.status.success() && Command::new(&program).output().ok()?.stdout == b"1\n")
}
