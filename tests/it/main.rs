//! Everything that is promised to users, as tests that run the binary.

mod harness;

mod corpus;
mod determinism;
mod equality;
mod examples;
mod hook;
mod layering;
mod tree;
