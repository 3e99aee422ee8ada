#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| phaser_testing::grammar(data));
