//! `phaser enforce install` and `uninstall`: phaser's hooks into Claude Code's settings, and out of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::args::OnCleanArg;
use super::environment::Environment;
use super::output::print;
use super::say;
use super::today::{self, Today};
use crate::agent::OnClean;
use crate::exit::Exit;
use crate::path::{CONFIG, RootHints, find_root};
use crate::report::{inert, inert_json};
use crate::settings::file::{self, FileError, Scope};
use crate::settings::{Edited, Existing, OwnHook, SettingsError, Tools, Wanted, install, survey, uninstall};

/// `phaser enforce install`.
#[derive(Debug, Args)]
pub struct Install {
    #[command(flatten)]
    place: Place,

    /// Replace phaser's own hooks when they are there already; other hooks are never touched
    #[arg(long)]
    force: bool,

    /// What the hook answers when nothing is violated; 'allow' skips the permission prompt
    #[arg(long, value_enum, default_value = "allow")]
    on_clean: OnCleanArg,

    /// The tools to check: Edit and Write, or also MultiEdit and NotebookEdit
    #[arg(long, value_enum, default_value = "edit")]
    tools: ToolsArg,
}

/// `phaser enforce uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    #[command(flatten)]
    place: Place,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, hide = true)]
    force: bool,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    on_clean: Option<OnCleanArg>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    tools: Option<ToolsArg>,
}

#[derive(Debug, Args)]
struct Place {
    /// Whose settings: the user's own, the project's, or the user's own for this project
    #[arg(long, value_enum, default_value = "project")]
    scope: ScopeArg,

    /// Print the settings as they would be, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArg {
    User,
    Project,
    Local,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolsArg {
    Edit,
    All,
}

/// Runs `phaser enforce install`.
pub fn run_install(args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    let target = args.place.target(environment)?;
    let wanted = args.wanted();
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let edited = target.edit(|text| install(text, wanted, existing))?;
    let shown = &target.shown;
    match edited {
        Edited::Changed(text) | Edited::Emptied(text) if args.place.dry_run => print_preview(shown, &text)?,
        Edited::Changed(text) | Edited::Emptied(text) => {
            let hooks = survey(&text).with_context(|| shown.clone())?.own;
            let done = format!("phaser's hooks are in {shown}:\n{}", list(&hooks));
            print(&format!("{done}\n{}\n{NEXT}", args.meaning()))?;
            if environment.find_program("phaser").is_none() {
                say("phaser: 'phaser' is not on the PATH, and the hooks need it there");
            }
        }
        Edited::Unchanged => print(&format!("phaser's hooks are in {shown} already; nothing changed.\n"))?,
        Edited::Differs(hooks) => {
            say(format_args!("phaser: {shown} has hooks of phaser's already, and nothing changed:"));
            list(&hooks).lines().for_each(say);
            say("phaser: run again with --force to replace them");
            return Ok(Exit::Trouble);
        }
    }
    target.warn_if_disabled()?;
    if !matches!(args.place.scope, ScopeArg::User) {
        warn_about_trapped_files(environment);
    }
    Ok(Exit::Clean)
}

/// Says which files cannot be edited any more. Nothing depends on it, so what goes wrong is only said.
fn warn_about_trapped_files(environment: &Environment) {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    if !today::is_project(&root) {
        return;
    }
    let today = today::targets(&root, environment)
        .and_then(|targets| today::check(&root, environment, targets, Vec::new()));
    match today {
        Ok(today) => trapped(&today).iter().for_each(say),
        Err(error) => say(format_args!("phaser: {error:#}")),
    }
}

/// What there is to say about files that cannot be edited any more.
fn trapped(today: &Today) -> Vec<String> {
    let files: Vec<_> = today.trapped().into_iter().map(|path| path.to_text()).collect();
    let count = match files.len() {
        0 => return Vec::new(),
        1 => "1 file has".to_owned(),
        count => format!("{count} files have"),
    };
    let more = match files.len().saturating_sub(MOST_TRAPPED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = files.iter().take(MOST_TRAPPED).map(|path| &**path).collect::<Vec<_>>().join(", ");
    vec![
        format!("phaser: {count} violations of severity 'error' already: {named}{more}"),
        "phaser: every edit that leaves such a violation in a file is denied, even one that repairs another"
            .to_owned(),
        format!(
            "phaser: to let old violations be, write 'existing: report' into {CONFIG}, or run 'phaser baseline'"
        ),
    ]
}

/// So many files are named; the rest is counted.
const MOST_TRAPPED: usize = 5;

/// What installing without any arguments would do to the project's settings.
pub struct Preview {
    path: PathBuf,
    /// The file, as it is shown.
    pub shown: String,
    /// What would become of it.
    pub edited: Edited,
}

/// The hooks that are installed without any arguments.
const USUAL: Wanted = Wanted { tools: Tools::Edits, on_clean: OnClean::Allow };

/// What installing without any arguments would do.
pub fn preview(environment: &Environment) -> anyhow::Result<Preview> {
    let path = settings_file(Scope::Project, environment).context("the project is not known")?;
    let edited = file::preview(&path, |text| install(text, USUAL, Existing::Keep))?;
    Ok(Preview { shown: show(&path, environment), path, edited })
}

impl Preview {
    /// Does it.
    pub fn install(&self) -> Result<Edited, FileError> {
        file::edit(&self.path, |text| install(text, USUAL, Existing::Keep))
    }

    /// The hooks that there would be, one on each line.
    pub fn hooks(&self) -> anyhow::Result<String> {
        match &self.edited {
            Edited::Changed(text) | Edited::Emptied(text) => Ok(list(&survey(text)?.own)),
            Edited::Differs(hooks) => Ok(list(hooks)),
            Edited::Unchanged => Ok(String::new()),
        }
    }
}

/// Runs `phaser enforce uninstall`.
pub fn run_uninstall(args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    let target = args.place.target(environment)?;
    let shown = &target.shown;
    match target.edit(uninstall)? {
        Edited::Changed(text) if args.place.dry_run => print_preview(shown, &text)?,
        Edited::Changed(_) => {
            print(&format!("phaser's hooks are out of {shown}; the rest of it is as it was.\n"))?
        }
        Edited::Emptied(_) if args.place.dry_run => {
            say(format_args!(
                "phaser: {shown} would be removed, with nothing left in it; nothing was changed"
            ));
        }
        Edited::Emptied(_) => {
            print(&format!("phaser's hooks were all that was in {shown}; the file is gone with them.\n"))?
        }
        Edited::Unchanged | Edited::Differs(_) => {
            print(&format!("There are no hooks of phaser's in {shown}; nothing changed.\n"))?;
        }
    }
    Ok(Exit::Clean)
}

const NEXT: &str = "\
Next: start a new Claude Code session, which reads its hooks when it starts, and run 'phaser doctor' to see that
everything is in place.
";

impl Install {
    fn wanted(&self) -> Wanted {
        let tools = match self.tools {
            ToolsArg::Edit => Tools::Edits,
            ToolsArg::All => Tools::All,
        };
        Wanted { tools, on_clean: self.on_clean.into() }
    }

    /// What the hooks mean for whoever works with them.
    fn meaning(&self) -> String {
        match self.on_clean.into() {
            OnClean::Allow => format!(
                "An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking \
                 you for permission.\nTo keep its permission prompts, run 'phaser enforce install{}{} --force \
                 --on-clean defer'.\n",
                match self.place.scope {
                    ScopeArg::User => " --scope user",
                    ScopeArg::Project => "",
                    ScopeArg::Local => " --scope local",
                },
                match self.tools {
                    ToolsArg::Edit => "",
                    ToolsArg::All => " --tools all",
                },
            ),
            OnClean::Defer => {
                "An edit that violates nothing is left to Claude Code, which asks you for permission \
                               as it always does.\n"
                    .to_owned()
            }
        }
    }
}

/// The settings file in question.
struct Target {
    path: PathBuf,
    shown: String,
    dry_run: bool,
}

impl Place {
    fn target(&self, environment: &Environment) -> anyhow::Result<Target> {
        let scope = match self.scope {
            ScopeArg::User => Scope::User,
            ScopeArg::Project => Scope::Project,
            ScopeArg::Local => Scope::Local,
        };
        let path = settings_file(scope, environment)
            .context("there is no home directory: set HOME, or choose --scope project")?;
        let shown = show(&path, environment);
        Ok(Target { path, shown, dry_run: self.dry_run })
    }
}

impl Target {
    fn edit(&self, change: impl Fn(&str) -> Result<Edited, SettingsError>) -> Result<Edited, FileError> {
        if self.dry_run { file::preview(&self.path, change) } else { file::edit(&self.path, change) }
    }

    fn warn_if_disabled(&self) -> anyhow::Result<()> {
        if survey(&file::read(&self.path)?)?.all_disabled {
            let shown = &self.shown;
            say(format_args!("phaser: {shown} turns every hook off: set 'disableAllHooks' to false there"));
        }
        Ok(())
    }
}

/// The settings file of a scope, when it can be known where it is.
pub fn settings_file(scope: Scope, environment: &Environment) -> Option<PathBuf> {
    let in_home = || environment.home.as_ref().map(|home| home.join(".claude"));
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let user = environment.claude_config_dir.clone().or_else(in_home);
    match scope {
        Scope::User => user.map(|user| scope.file(&user, root.path())),
        Scope::Project | Scope::Local => Some(scope.file(&user.unwrap_or_default(), root.path())),
    }
}

/// A path as it is shown: short where that is possible.
pub fn show(path: &Path, environment: &Environment) -> String {
    let below = |directory: &Path| path.strip_prefix(directory).ok().map(Path::to_owned);
    let home = environment.home.as_deref();
    let short = below(&environment.cwd)
        .or_else(|| home.and_then(below).map(|rest| Path::new("~").join(rest)))
        .unwrap_or_else(|| path.to_owned());
    inert(&short.display().to_string()).into_owned()
}

/// One line for each hook.
fn list(hooks: &[OwnHook]) -> String {
    let mut lines = String::new();
    for OwnHook { event, matcher, command } in hooks {
        let matcher = matcher.as_deref().unwrap_or("*");
        let line = format!("  {event:<11}  {matcher}  {command}");
        writeln!(lines, "{}", inert(&line)).expect("writing to a string cannot fail");
    }
    lines
}

fn print_preview(shown: &str, text: &str) -> anyhow::Result<()> {
    say(format_args!("phaser: {shown} would be as follows; nothing was written"));
    // Outside of strings JSON may end its lines with a carriage return alone, which a terminal acts on.
    print(&inert_json(&text.replace("\r\n", "\n").replace('\r', "\n")))
}
