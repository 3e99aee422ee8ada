//! Suggestions for misspelled words. The only user of strsim.

/// The word nearest to `word`, within a third of its length.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near_enough = (word.chars().count() / 3).max(1);
    let distances =
        words.into_iter().map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate));
    distances
        .filter(|&(distance, _)| distance <= near_enough)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggests_nearest_word() {
        let words = ["pattern", "enabled", "message"];
        assert_eq!(nearest("patern", words), Some("pattern"));
        assert_eq!(nearest("enable", words), Some("enabled"));
        assert_eq!(nearest("author", words), None);
        assert_eq!(nearest("x", []), None);
    }
}
