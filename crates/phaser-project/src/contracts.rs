//! Contract files on disk, in git and in packs: [`read`] reads one directory, [`layers`] decides which contract
//! applies if several have one id.

pub mod layers;
pub mod read;
