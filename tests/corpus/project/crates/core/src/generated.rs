// phaser:ignore-file spdx-header, no-unwrap -- written by a build script
pub fn table() -> Vec<u8> {
    std::fs::read("table.bin").unwrap()
}
