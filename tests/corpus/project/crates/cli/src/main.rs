// SPDX-License-Identifier:
fn main() {
    let path = std::env::args().nth(1).unwrap();
    println!("{path}");
}
