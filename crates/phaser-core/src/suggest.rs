//! The word that was probably meant: the only user of strsim.

/// The one of `words` that `word` is most likely a misspelling of, if any is near enough.
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
    fn a_misspelled_word_is_recognised() {
        let words = ["pattern", "enabled", "message"];
        assert_eq!(nearest("patern", words), Some("pattern"));
        assert_eq!(nearest("enable", words), Some("enabled"));
        assert_eq!(nearest("author", words), None);
        assert_eq!(nearest("x", []), None);
    }
}
