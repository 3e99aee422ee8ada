//! Claude Code hooks as typed Rust: what the client sends, and what it accepts back.
//!
//! [`Request`] is one event, read leniently from a stream. Each event has a type for its answer, and all of
//! them become a [`Response`], the one document for stdout. [`HookResult`] and [`complete()`] are for hooks
//! that make one answer of many checks.
//!
//! This module knows nothing of contracts. It does no I/O but what a caller hands it a reader or a path for.
//!
//! ```
//! use phaser_hook::{Event, PostToolUseResponse, Request, Response};
//!
//! let stdin = br#"{"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": "/p/a.sql"}}"#;
//! let request = Request::read(&stdin[..])?;
//! let response = match request.event() {
//!     Event::PostToolUse(run) if run.call.input.file_path_matches(["**/*.sql"])? => {
//!         PostToolUseResponse::with_context("Update the schema docs too.").into()
//!     }
//!     _ => Response::empty(),
//! };
//! assert_eq!(
//!     response.answer(&request)?,
//!     r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Update the schema docs too."}}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod complete;
mod conversation;
mod event;
mod input;
mod request;
mod response;
mod result;
mod tool;
mod wire;

#[doc(hidden)]
pub use input::mend;

pub use complete::{CompleteError, Completion, complete};
pub use conversation::Conversation;
pub use event::{Event, ModelSwitch, Subagent, Task};
pub use input::{InputError, MAX_INPUT_LEN, MAX_VALUES, read_object};
pub use request::{Request, Stop, ToolCall, ToolRun};
pub use response::{
    Action, AfterDeny, BlockResponse, ContextResponse, Decision, ElicitationResponse, Elicits, Keeps,
    MessageDisplayResponse, PermissionDeniedResponse, PermissionRequestResponse, PostToolUseFailureResponse,
    PostToolUseResponse, PreModelSwitchResponse, PreToolUseResponse, ResponseError, SessionStartResponse,
    StopResponse, Tells, UpdatedInput, UserPromptSubmitResponse, WatchResponse, Watches,
    WorktreeCreateResponse,
};
pub use result::{FieldConflict, HookResult, ResultError};
pub use tool::{Tool, ToolInput};
pub use wire::Response;
