//! Coding agents: what each client sends becomes an [`Occasion`], and what phaser decides becomes an
//! answer in the client's own words, with the exit code that the client understands.
//!
//! Nobody else knows a client. An adapter is a file of its own; what all of them have in common is the
//! [`decision`].

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::exit::Exit;
use phaser_hook::Request;
use phaser_project::source::swept::Sweep;
use phaser_project::tool_call::Call;

pub mod claude;
mod client;
mod cline;
mod codex;
mod copilot;
mod cursor;
pub mod decision;
mod devin;
mod droid;
mod gemini;
mod kiro;
mod opencode;
mod patch;
mod qwen;
mod replace;
mod said;
mod step;
mod vscode;
mod windsurf;

pub use client::Client;
use decision::Decision;
use said::Said;
use step::{Kind, Step};

/// What an event of an agent is an occasion for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// A tool changes files, or has changed them.
    Call(Call),
    /// A shell command has run: whatever it left in files.
    Command(Worktree),
    /// A turn is about to end: whatever it left in files.
    End {
        /// Which files.
        worktree: Worktree,
        /// What it was sent back for since the last prompt.
        told: Vec<String>,
    },
    /// Somebody begins to work, and should know the contracts.
    Beginning {
        /// Where.
        cwd: PathBuf,
    },
    /// The settings that hold phaser's own hooks may have changed.
    Settings {
        /// Where.
        cwd: PathBuf,
    },
    /// There is nothing to do.
    Nothing,
}

/// Files of a worktree to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Where the agent is; absolute.
    pub cwd: PathBuf,
    /// Which files.
    pub sweep: Sweep,
}

/// In which manner a client is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// About edits only, in the words that there always were.
    Plain,
    /// About everything that may change a file; texts name the file, and warnings are no errors.
    Guard,
}

/// What a client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The one document for standard output, without a final newline.
    pub stdout: String,
    /// How the process ends.
    pub exit: Exit,
}

/// What to answer when nothing is left to say against a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnClean {
    /// `allow`, which skips the user's permission prompt.
    Allow,
    /// `{}`, which leaves the decision to the client.
    Defer,
}

/// What a client is told that must not be held up by phaser's own troubles.
pub const NOTHING: &str = "{}";

impl Client {
    /// What an event is an occasion for; relative paths start at the event's directory, or at `cwd` when it names none.
    pub fn read(self, event: &Request, cwd: &Path, manner: Manner) -> Occasion {
        match self.step(event.raw()) {
            Some(step) => step.occasion(cwd, manner),
            None => claude::read(event, cwd, manner),
        }
    }

    /// What an event is about, in no client's words; Claude Code's says more than that.
    fn step(self, event: &Value) -> Option<Step<'_>> {
        Some(match self {
            Self::Claude => return None,
            Self::Codex => codex::step(event),
            Self::Copilot => copilot::step(event),
            Self::Cursor => cursor::step(event),
            Self::VsCode => vscode::step(event),
            Self::Gemini => gemini::step(event),
            Self::Qwen => qwen::step(event),
            Self::Droid => droid::step(event),
            Self::Opencode => opencode::step(event),
            Self::Cline => cline::step(event),
            Self::Windsurf => windsurf::step(event),
            Self::Devin => devin::step(event),
            Self::Kiro => kiro::step(event),
        })
    }

    /// The answer to an event. Only Claude Code is told that a change is clean. Every text of the decision is sanitised
    /// here, whatever it was made of.
    pub fn answer(self, event: &Request, decision: &Decision, on_clean: OnClean) -> Answer {
        let decision = &decision.sanitised();
        let Some(step) = self.step(event.raw()) else { return claude::answer(event, decision, on_clean) };
        let (event, mut said) = (event.raw(), Said::of(decision, |changes| step.input_for(changes)));
        if step.kind == Kind::Beginning && !self.shows_messages() {
            said.tell_the_model();
        }
        let answer = match self {
            Self::Claude => Value::Null,
            Self::Codex => codex::answer(event, &said),
            Self::Copilot => copilot::answer(event, &said),
            Self::Cursor => cursor::answer(event, &said),
            Self::VsCode => vscode::answer(event, &said),
            Self::Gemini => gemini::answer(event, &said),
            Self::Qwen => qwen::answer(event, &said),
            Self::Droid => droid::answer(event, &said),
            Self::Opencode => opencode::answer(event, &said),
            Self::Cline => cline::answer(event, &said),
            Self::Windsurf => windsurf::answer(event, &said),
            Self::Devin => devin::answer(event, &said),
            Self::Kiro => kiro::answer(event, &said),
        };
        Answer { stdout: answer.to_string(), exit: Exit::Clean }
    }

    /// Does the client show a person what a hook has to say to them?
    fn shows_messages(self) -> bool {
        match self {
            Self::Claude
            | Self::Codex
            | Self::VsCode
            | Self::Gemini
            | Self::Qwen
            | Self::Droid
            | Self::Devin => true,
            Self::Copilot | Self::Cursor | Self::Opencode | Self::Cline | Self::Windsurf | Self::Kiro => {
                false
            }
        }
    }
}
