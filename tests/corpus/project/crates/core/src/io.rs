use std::fs;

pub fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

pub fn read_or(path: &str, other: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|_| other.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads() {
        let text = super::read("Cargo.toml").parse::<String>().unwrap(); // phaser:ignore no-unwrap
        assert!(!text.is_empty()); /* TODO more */
    }
}
