//! What contracts are filed under, and which of them are about secrets.

use crate::contract::Contract;

/// The tag of contracts whose matches are secrets.
const SECRET: &str = "secret";
/// The pack whose contracts are.
const SECRETS: &str = "secrets";

/// The tags of a contract; the name of its pack is one.
pub fn tags(contract: &Contract) -> impl Iterator<Item = &str> {
    let pack = contract.origin.file.to_str().and_then(|file| file.strip_prefix("pack:"));
    pack.and_then(|pack| pack.split('/').next()).into_iter()
}

/// Is what this contract matches a secret?
pub fn is_secret(contract: &Contract) -> bool {
    tags(contract).any(|tag| tag == SECRET || tag == SECRETS)
}
