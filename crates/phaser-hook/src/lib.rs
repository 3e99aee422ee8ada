//! The hook protocol of Claude Code as typed Rust.
//!
//! Claude Code starts a hook as a program, writes one JSON object to its stdin and reads one JSON object from its
//! stdout. [`Request`] is the first: read leniently from a stream, with an [`Event`] for each of the 33 event names.
//! [`Response`] is the second. Each event has a response type with only the fields that Claude Code accepts there,
//! and converts into [`Response`].
//!
//! [`HookResult`] and [`complete()`] combine the results of several checks into one response.
//!
//! The crate does no I/O except on the readers and paths it receives.
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
//!     response.to_json_for(&request)?,
//!     r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Update the schema docs too."}}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codec;
mod complete;
mod conversation;
mod event;
mod input;
mod request;
mod response;
mod result;
mod tool;

#[doc(hidden)]
pub use input::normalize_json;

pub use codec::Response;
pub use complete::{CompleteError, Completion, complete};
pub use conversation::Conversation;
pub use event::{Event, ModelSwitch, Subagent, TeamTask};
pub use input::{InputError, MAX_INPUT_LEN, MAX_VALUES, read_object};
pub use request::{Request, Stop, ToolCall, ToolRun};
pub use response::{
    AfterDeny, BlockResponse, BlockableEvent, ContextEvent, ContextResponse, Decision, ElicitationAction,
    ElicitationEvent, ElicitationResponse, MessageDisplayResponse, PermissionDeniedResponse,
    PermissionRequestResponse, PostToolUseResponse, PreModelSwitchResponse, PreToolUseResponse,
    ResponseError, SessionStartResponse, StopResponse, UpdatedInput, UserPromptSubmitResponse, WatchEvent,
    WatchResponse, WorktreeCreateResponse,
};
pub use result::{FieldConflict, HookResult, ResultError};
pub use tool::{Tool, ToolInput};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
