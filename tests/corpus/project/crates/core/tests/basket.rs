#[test]
fn totals() {
    assert_eq!("1".parse::<u64>().unwrap(), 1);
}
