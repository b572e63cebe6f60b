//! Compiles settle.c with CC, or cc, and AR, or ar: without the crate `cc`, so that it builds where no registry is.
use std::{env, path::Path, process::Command};

fn run(variable: &str, usual: &str, arguments: &[&str]) {
    println!("cargo:rerun-if-env-changed={variable}");
    let command = env::var(variable).unwrap_or(usual.into());
    let mut words = command.split_whitespace();
    let done = Command::new(words.next().unwrap_or(usual)).args(words).args(arguments).status();
    assert!(matches!(done, Ok(status) if status.success()), "settle: `{command} {}`: {done:?}", arguments.join(" "));
}

fn main() {
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let (object, library) = (format!("{folder}/settle.o"), format!("{folder}/libsettle.a"));
    println!("cargo:rerun-if-changed=settle.c");
    println!("cargo:rerun-if-changed=settle.h");
    run("CC", "cc", &["-std=c99", "-O2", "-fPIC", "-c", "settle.c", "-o", &object]);
    if Path::new(&library).exists() {
        std::fs::remove_file(&library).expect("OUT_DIR can be written");
    }
    run("AR", "ar", &["rcs", &library, &object]);
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=settle");
}
