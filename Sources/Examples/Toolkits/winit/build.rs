fn main() {
    let folder = std::env::var("SETTLE").expect("SETTLE is the folder that scripts/amalgamate wrote");
    cc::Build::new().file(format!("{folder}/settle.c")).compile("settle");
}
