//! `phaser completions` and `phaser man`, generated from clap's definition.
//!
//! clap's scripts are static. Contract ids are completed by a call of `phaser completions --ids`, which the code here
//! adds to the scripts for bash, zsh and fish. Arguments that take an id have the hint [`CONTRACT_ID`].

use anyhow::anyhow;
use clap::{Arg, Args, Command, ValueEnum, ValueHint};
use clap_complete::Generator;
use clap_complete::aot::{Bash, Elvish, Fish, PowerShell, Zsh};
use clap_complete_nushell::Nushell;

use super::contracts::Where;
use super::environment::Environment;
use super::output::to_stdout;
use crate::exit::Exit;
use phaser_core::sanitize::inert;

/// Marks arguments that take a contract id. clap has no such hint, so the scripts replace the completion of this one.
pub const CONTRACT_ID: ValueHint = ValueHint::Hostname;

/// `phaser completions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// Shell to complete for
    #[arg(value_enum, required_unless_present = "ids")]
    shell: Option<Shell>,

    /// Print the ids of the project's contracts; nothing on failure
    #[arg(long, hide = true, conflicts_with = "shell")]
    ids: bool,
}

const EXAMPLES: &str = "\
Examples:
  source <(phaser completions bash)                    in ~/.bashrc
  phaser completions zsh > ~/.zfunc/_phaser            with ~/.zfunc in fpath
  phaser completions fish > ~/.config/fish/completions/phaser.fish";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Nushell,
    Elvish,
    Powershell,
}

/// `phaser man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Subcommand of the page, such as 'contracts test' [default: phaser]
    command: Vec<String>,
}

/// Runs `phaser completions`.
pub fn completions(args: &Completions, command: Command, environment: &Environment) -> anyhow::Result<Exit> {
    let text = match args.shell {
        Some(shell) => script(shell, command),
        None => ids(environment),
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Clean)
}

/// The ids of the project's contracts, one per line; empty if they cannot be loaded.
fn ids(environment: &Environment) -> String {
    let Ok(project) = Where::default().quiet_project(environment) else { return String::new() };
    let mut ids: Vec<String> =
        project.contracts().iter().map(|contract| format!("{}\n", inert(&contract.id))).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.concat()
}

fn script(shell: Shell, mut command: Command) -> String {
    command.build();
    match shell {
        Shell::Bash => bash(&command),
        Shell::Zsh => zsh(&command),
        Shell::Fish => fish(&command),
        Shell::Nushell => generate(Nushell, &command),
        Shell::Elvish => generate(Elvish, &command),
        Shell::Powershell => generate(PowerShell, &command),
    }
}

fn generate(shell: impl Generator, command: &Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command.clone(), "phaser", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn takes_id(argument: &Arg) -> bool {
    argument.get_value_hint() == CONTRACT_ID
}

/// The subcommands that take an id as an argument, such as `["contracts", "show"]`.
fn commands_with_id(command: &Command) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        if subcommand.get_positionals().any(takes_id) {
            found.push(vec![subcommand.get_name()]);
        }
        for below in commands_with_id(subcommand) {
            found.push([vec![subcommand.get_name()], below].concat());
        }
    }
    found
}

/// The flags that take an id, such as `--only`.
fn flags_with_id(command: &Command) -> Vec<String> {
    let own = command.get_opts().filter(|argument| takes_id(argument)).filter_map(Arg::get_long);
    let mut flags: Vec<String> = own.map(|long| format!("--{long}")).collect();
    flags.extend(command.get_subcommands().flat_map(flags_with_id));
    flags.sort_unstable();
    flags.dedup();
    flags
}

/// bash: a function around clap's own.
fn bash(command: &Command) -> String {
    let words = commands_with_id(command).into_iter().map(|path| format!("{}\\ *", path.join("\\ ")));
    let words: Vec<String> = words.collect();
    let ids = format!(
        r#"# Contract ids, where a command takes one.
_phaser_with_ids() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" takes_id="" done=""
    [[ "$prev" == "=" ]] && prev="${{COMP_WORDS[COMP_CWORD-2]}}"
    [[ "$cur" == "=" ]] && cur=""
    case "$prev" in
        {flags}) takes_id=1 ;;
        -*) ;;
        *)
            if [[ "$cur" != -* ]]; then
                case "${{COMP_WORDS[*]:1:COMP_CWORD-1}} " in
                    {words}) takes_id=1 ;;
                esac
            fi
            ;;
    esac
    if [[ -z "$takes_id" ]]; then
        _phaser "$@"
        return
    fi
    [[ "$cur" == *,* ]] && done="${{cur%,*}},"
    COMPREPLY=( $(compgen -P "$done" -W "$("$1" completions --ids 2>/dev/null)" -- "${{cur#"$done"}}") )
}}

"#,
        flags = flags_with_id(command).join("|"),
        words = words.join("|"),
    );
    let script = generate(Bash, command).replace("complete -F _phaser ", "complete -F _phaser_with_ids ");
    ids + &script
}

/// zsh: a completion function for the arguments that take an id.
fn zsh(command: &Command) -> String {
    const IDS: &str = "\
# Contract ids, several with commas.
(( $+functions[_phaser_ids] )) ||
_phaser_ids() {
    local -a ids
    ids=(${(f)\"$(_call_program ids phaser completions --ids 2>/dev/null)\"})
    compset -P '*,'
    compadd -a ids || _default
}

if [ \"$funcstack[1]\"";
    let script = generate(Zsh, command).replace(":_hosts'", ":_phaser_ids'");
    script.replacen("if [ \"$funcstack[1]\"", IDS, 1)
}

/// fish: a function for the flags, and conditions for the commands, whose arguments clap does not complete.
fn fish(command: &Command) -> String {
    const IDS: &str = "\
# Contract ids, several with commas.
function __fish_phaser_ids
    set -l done (commandline -ct | string replace -rf '^(?:--[^=]*=)?(.*,)[^,]*$' '$1')
    for id in (phaser completions --ids 2>/dev/null)
        echo $done$id
    end
end
";
    let mut script = generate(Fish, command).replace("__fish_print_hostnames", "__fish_phaser_ids");
    script.push_str(IDS);
    for path in commands_with_id(command) {
        let below = match path.as_slice() {
            [_] => String::new(),
            [_, below @ ..] => format!("; and __fish_seen_subcommand_from {}", below.join(" ")),
            [] => continue,
        };
        script.push_str(&format!(
            "complete -c phaser -n \"__fish_phaser_using_subcommand {}{below}\" -f -a \"(__fish_phaser_ids)\"\n",
            path[0]
        ));
    }
    script
}

/// Runs `phaser man`.
pub fn man(args: &Man, mut command: Command) -> anyhow::Result<Exit> {
    command.build();
    let mut page = &command;
    for name in &args.command {
        page = page.find_subcommand(name).ok_or_else(|| {
            anyhow!("unknown command '{}' (run 'phaser help' for a list)", args.command.join(" "))
        })?;
    }
    let page = page.clone();
    to_stdout(|out| clap_mangen::Man::new(page).render(out))?;
    Ok(Exit::Clean)
}
