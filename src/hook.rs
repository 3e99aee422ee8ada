//! Claude Code hooks as typed Rust: what the client sends, and what it accepts back.

mod conversation;
pub mod input;
pub mod request;
mod tool;

pub use conversation::Conversation;
pub use input::InputError;
pub use request::{Event, Request, Stop, ToolCall, ToolRun};
pub use tool::{Tool, ToolInput};
