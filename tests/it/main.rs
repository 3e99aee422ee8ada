//! Integration tests: the binary, run as a user runs it.

mod corpus;
mod examples;
