//! Claude Code hooks as typed Rust: what the client sends, and what it accepts back.

mod complete;
mod conversation;
mod input;
mod request;
mod response;
mod result;
mod tool;
mod wire;

pub use complete::{CompleteError, Completion, complete};
pub use conversation::Conversation;
pub use input::{InputError, MAX_INPUT_LEN, read_object};
pub use request::{Event, Request, Stop, ToolCall, ToolRun};
pub use response::{
    AfterDeny, Decision, PermissionRequestResponse, PostToolUseFailureResponse, PostToolUseResponse,
    PreToolUseResponse, ResponseError, SessionStartResponse, StopResponse, UpdatedInput,
    UserPromptSubmitResponse,
};
pub use result::{FieldConflict, HookResult, ResultError};
pub use tool::{Tool, ToolInput};
pub use wire::Response;
