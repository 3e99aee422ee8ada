//! The hooks that phaser installs: their events, matchers and commands.
//!
//! There are two plain hooks, before and after an edit. The guard has one command line for all of its events. It is short,
//! because Claude Code quotes it to the model, and prints `{}` where phaser is not on the PATH.

use serde_json::{Value, json};

use super::command::{framed, unframed};
use super::{OwnHook, TIMEOUT};
use crate::agents::OnClean;
use phaser_core::contract::Severity;
use phaser_project::packs::{self, PACKS, Pack};

pub(super) const PRE: &str = "PreToolUse";
pub(super) const POST: &str = "PostToolUse";

/// The tools of the plain hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EditTools {
    /// `Edit` and `Write`.
    #[value(name = "edit")]
    Edits,
    /// Every tool that changes a file.
    All,
}

/// Plain hooks or the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookForm {
    /// Before and after an edit with one of these tools.
    Plain(EditTools),
    /// Edits, shell commands, ends of turns, settings.
    Guard,
}

/// The contracts that a hook checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    All,
    Only(Severity),
}

/// What Claude Code does with an edit when the hook before it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OnFail {
    Continue,
    Block,
}

/// The requested hooks. `None` means the default; the guard keeps the value in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRequest {
    pub form: HookForm,
    pub on_clean: Option<OnClean>,
    /// The default depends on the event.
    pub levels: Option<Levels>,
    pub packs: Vec<&'static Pack>,
    pub on_fail: Option<OnFail>,
}

/// The hooks to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSet {
    form: HookForm,
    pub on_clean: OnClean,
    levels: Option<Levels>,
    packs: Vec<&'static Pack>,
    pub on_fail: OnFail,
}

impl HookRequest {
    /// Hooks with default options.
    pub fn usual(form: HookForm) -> Self {
        Self { form, on_clean: None, levels: None, packs: Vec::new(), on_fail: None }
    }

    /// Whether all options but the form are defaults.
    pub(super) fn is_default(&self) -> bool {
        let Self { form, on_clean, levels, packs, on_fail } = self;
        let usual_tools = *form == HookForm::Guard || *form == HookForm::Plain(EditTools::Edits);
        usual_tools && on_clean.is_none() && levels.is_none() && packs.is_empty() && on_fail.is_none()
    }

    /// The hooks to install over these installed ones.
    pub(super) fn over(&self, own: &[OwnHook]) -> HookSet {
        let before = own.iter().find(|hook| hook.event == PRE && self.form == HookForm::Guard);
        let written = before.and_then(|hook| WrittenCommand::read(&hook.command));
        let kept_levels =
            || written.as_ref().filter(|written| written.guard).and_then(|written| written.levels);
        let kept_packs = || written.iter().flat_map(|written| written.packs.iter().copied()).collect();
        let blocks = before.is_some_and(|hook| hook.on_failure.as_deref() == Some("block"));
        let kept_on_clean = written.as_ref().and_then(|written| written.on_clean);
        HookSet {
            form: self.form,
            on_clean: self.on_clean.or(kept_on_clean).unwrap_or(OnClean::Allow),
            levels: self.levels.or_else(kept_levels),
            packs: if self.packs.is_empty() { kept_packs() } else { self.packs.clone() },
            on_fail: self.on_fail.unwrap_or(if blocks { OnFail::Block } else { OnFail::Continue }),
        }
    }
}

impl HookSet {
    /// The events, in file order.
    pub(super) fn events(&self) -> &'static [&'static str] {
        match self.form {
            HookForm::Plain(_) => &[PRE, POST],
            HookForm::Guard => &[
                "SessionStart",
                "SubagentStart",
                PRE,
                POST,
                "PostToolUseFailure",
                "Stop",
                "SubagentStop",
                "ConfigChange",
            ],
        }
    }

    /// The matcher of an event. A matcher with characters other than letters, digits and `_|,- ` is an unanchored regex.
    pub(super) fn matcher(&self, event: &str) -> Option<&'static str> {
        match (self.form, event) {
            (HookForm::Plain(EditTools::Edits), _) => Some("Edit|Write"),
            (HookForm::Plain(EditTools::All), _) => Some("Edit|Write|MultiEdit|NotebookEdit"),
            (HookForm::Guard, PRE | POST) => Some("^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$"),
            (HookForm::Guard, "PostToolUseFailure") => Some("Bash"),
            (HookForm::Guard, _) => None,
        }
    }

    pub(super) fn command(&self, event: &str) -> String {
        let mut command = "phaser enforce --stdin".to_owned();
        let levels = match self.form {
            HookForm::Plain(_) => Some(self.levels.unwrap_or(Levels::Only(match event {
                POST => Severity::Warning,
                _ => Severity::Error,
            }))),
            HookForm::Guard => {
                command.push_str(" --guard");
                self.levels
            }
        };
        if let Some(levels) = levels {
            command.push_str(" --severity ");
            command.push_str(levels.as_str());
        }
        if self.on_clean == OnClean::Defer && (self.form == HookForm::Guard || event == PRE) {
            command.push_str(" --on-clean defer");
        }
        for name in names(&self.packs) {
            command.push_str(" --pack ");
            command.push_str(name);
        }
        // With `onFailure: block`, a missing phaser has to fail.
        let is_plain = matches!(self.form, HookForm::Plain(_));
        let may_fail = is_plain || (event == PRE && self.on_fail == OnFail::Block);
        if may_fail { command } else { framed(&command) }
    }

    /// Whether an installed hook is as wanted.
    pub(super) fn is_met_by(&self, hook: &OwnHook) -> bool {
        hook.matcher.as_deref() == self.matcher(&hook.event)
            && hook.command == self.command(&hook.event)
            && hook.on_failure.as_deref() == self.on_failure(&hook.event)
    }

    fn on_failure(&self, event: &str) -> Option<&'static str> {
        (event == PRE && self.on_fail == OnFail::Block).then_some("block")
    }

    pub(super) fn group(&self, event: &str) -> Value {
        let mut handler = json!({"type": "command", "command": self.command(event), "timeout": TIMEOUT});
        if let Some(on_failure) = self.on_failure(event) {
            handler["onFailure"] = on_failure.into();
        }
        match self.matcher(event) {
            Some(matcher) => json!({"matcher": matcher, "hooks": [handler]}),
            None => json!({"hooks": [handler]}),
        }
    }
}

impl Levels {
    fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Only(severity) => severity.as_str(),
        }
    }
}

const ALL_PACKS: &str = "all";

fn names(packs: &[&'static Pack]) -> Vec<&'static str> {
    match packs.len() == PACKS.len() {
        true => vec![ALL_PACKS],
        false => packs.iter().map(|pack| pack.name).collect(),
    }
}

/// The options in a command line that phaser wrote, in this or an older version.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenCommand {
    guard: bool,
    on_clean: Option<OnClean>,
    levels: Option<Levels>,
    packs: Vec<&'static Pack>,
}

impl WrittenCommand {
    /// Parses a command line; `None` if a user has changed it.
    pub(super) fn read(command: &str) -> Option<Self> {
        let mut words = unframed(command).split_whitespace().peekable();
        let mut written = Self::default();
        if (words.next(), words.next()) != (Some("phaser"), Some("enforce")) {
            return None;
        }
        words.next_if_eq(&"check");
        while let Some(word) = words.next() {
            match word {
                "--stdin" => {}
                "--guard" => written.guard = true,
                "--on-clean" => written.on_clean = Some(on_clean(words.next()?)?),
                "--severity" => written.levels = Some(levels(words.next()?)?),
                "--pack" => match words.next()? {
                    ALL_PACKS => written.packs = PACKS.iter().collect(),
                    name => written.packs.push(packs::find(name)?),
                },
                _ => return None,
            }
        }
        Some(written)
    }
}

fn on_clean(word: &str) -> Option<OnClean> {
    match word {
        "allow" => Some(OnClean::Allow),
        "defer" => Some(OnClean::Defer),
        _ => None,
    }
}

fn levels(word: &str) -> Option<Levels> {
    match word {
        "all" => Some(Levels::All),
        "error" => Some(Levels::Only(Severity::Error)),
        "warning" => Some(Levels::Only(Severity::Warning)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(command: &str) -> OwnHook {
        OwnHook {
            event: PRE.to_owned(),
            matcher: Some("Edit|Write".to_owned()),
            command: command.to_owned(),
            on_failure: None,
        }
    }

    fn guard() -> HookRequest {
        HookRequest::usual(HookForm::Guard)
    }

    #[test]
    fn guard_has_one_command_line() {
        let wanted = guard().over(&[]);
        for event in wanted.events() {
            assert_eq!(
                wanted.command(event),
                "hash phaser && exec phaser enforce --stdin --guard; echo {}",
                "{event}"
            );
        }
    }

    #[test]
    fn writes_options_into_command() {
        let packs = vec![packs::find("secrets").expect("a pack"), packs::find("go").expect("a pack")];
        let asked = HookRequest {
            on_clean: Some(OnClean::Defer),
            levels: Some(Levels::Only(Severity::Error)),
            packs,
            ..guard()
        };
        let command = asked.over(&[]).command("Stop");
        assert_eq!(
            command,
            "hash phaser && exec phaser enforce --stdin --guard --severity error --on-clean defer --pack secrets --pack go; \
             echo {}"
        );
        let read = WrittenCommand::read(&command).expect("is phaser's own");
        assert!(read.guard && read.packs.len() == 2, "{read:?}");
        let all = HookRequest {
            packs: PACKS.iter().collect(),
            ..HookRequest::usual(HookForm::Plain(EditTools::Edits))
        };
        assert_eq!(all.over(&[]).command(POST), "phaser enforce --stdin --severity warning --pack all");
        assert_eq!(WrittenCommand::read(&all.over(&[]).command(POST)).expect("own").packs.len(), PACKS.len());
    }

    #[test]
    fn missing_phaser_fails_where_failure_blocks() {
        let wanted = HookRequest { on_fail: Some(OnFail::Block), ..guard() }.over(&[]);
        assert_eq!(wanted.command(PRE), "phaser enforce --stdin --guard");
        assert_eq!(wanted.group(PRE)["hooks"][0]["onFailure"], "block");
        assert!(wanted.command("Stop").ends_with("echo {}"));
        assert!(wanted.group("Stop")["hooks"][0].get("onFailure").is_none());
    }

    #[test]
    fn guard_keeps_installed_options() {
        let own = [hook("phaser enforce --stdin --severity error --on-clean defer --pack go")];
        let wanted = guard().over(&own);
        assert_eq!(wanted.command(PRE), framed("phaser enforce --stdin --guard --on-clean defer --pack go"));
        let changed = HookRequest { on_clean: Some(OnClean::Allow), ..guard() }.over(&own);
        assert_eq!(changed.command(PRE), framed("phaser enforce --stdin --guard --pack go"));
        let own = [hook(&framed("phaser enforce --stdin --guard --severity error"))];
        assert_eq!(guard().over(&own).command(PRE), own[0].command);
        let own =
            [OwnHook { on_failure: Some("block".to_owned()), ..hook("phaser enforce --stdin --guard") }];
        assert_eq!(guard().over(&own).on_fail, OnFail::Block);
        let plain = HookRequest::usual(HookForm::Plain(EditTools::Edits));
        assert_eq!(plain.over(&own).command(PRE), "phaser enforce --stdin --severity error");
    }

    #[test]
    fn does_not_parse_changed_commands() {
        for command in [
            "/opt/phaser enforce --stdin",
            "phaser enforce --stdin --timeout 5",
            "phaser enforce --stdin --pack nothing",
            "phaser enforce --stdin --severity",
            "phaser contracts",
        ] {
            assert_eq!(WrittenCommand::read(command), None, "{command}");
        }
        assert_eq!(WrittenCommand::read("phaser enforce check --stdin"), Some(WrittenCommand::default()));
    }
}
