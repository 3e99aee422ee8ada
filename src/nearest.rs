//! The word that was probably meant: the only user of strsim.

/// The one of `words` that `word` is most likely a misspelling of, if any is near enough.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR_ENOUGH: f64 = 0.8;
    let scored = words.into_iter().map(|candidate| (strsim::jaro_winkler(word, candidate), candidate));
    let (score, best) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score >= NEAR_ENOUGH).then_some(best)
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
