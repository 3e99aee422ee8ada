use std::fs;
fn main() {
    let x = fs::read("a").unwrap();
    let y = parse(x).expect("valid");
    println!("{}", y);
    unsafe { go() }
    todo!();
    if let Some(z) = y.clone().clone() { drop(z); }
}
mod tests { fn t() { a().unwrap(); } }
