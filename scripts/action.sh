#!/usr/bin/env bash
# The steps of action.yml. Whatever a workflow passes comes in through the environment, and is never read as shell.
set -euo pipefail

die() {
  echo "phaser action: $*" >&2
  exit 3
}

# Sets an output of the step. A value of more than one line could set others.
output() {
  [[ $2 != *$'\n'* ]] || die "$1 must be on one line"
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Names the directory of the binary and its key in the cache: the version, or the sources of this action.
prepare() {
  [[ -z ${INPUT_PATH:-} ]] || return 0
  local version=${INPUT_VERSION:-}
  [[ $version =~ ^[0-9A-Za-z.+_-]*$ ]] || die "version '$version': write it as in 1.2.3"
  if [[ -z $version ]]; then
    version=$(cd "$GITHUB_ACTION_PATH" &&
      find Cargo.toml Cargo.lock src packs -type f | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | git hash-object --stdin)
  fi
  output directory "$RUNNER_TEMP/phaser"
  output key "phaser-$RUNNER_OS-$RUNNER_ARCH-$version"
}

# Finds the binary, or builds it if the cache had none.
install() {
  if [[ -n ${INPUT_PATH:-} ]]; then
    local program
    program=$(cd "${INPUT_WORKING_DIRECTORY:-.}" && command -v -- "$INPUT_PATH") || die "path: no program at '$INPUT_PATH'"
    [[ $program == /* ]] || program=$(cd "${INPUT_WORKING_DIRECTORY:-.}" && pwd)/$program
    output binary "$program"
    return 0
  fi
  if [[ ! -x $DIRECTORY/bin/phaser ]]; then
    command -v cargo >/dev/null || die "cargo is needed to build phaser: install Rust first, or set 'path'"
    local source=(--path "$GITHUB_ACTION_PATH")
    if [[ -n ${INPUT_VERSION:-} ]]; then
      source=(--git "$GITHUB_SERVER_URL/$ACTION_REPOSITORY" --tag "v${INPUT_VERSION#v}" phaser)
    fi
    CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$RUNNER_TEMP/phaser-target}" \
      cargo install --quiet --locked --root "$DIRECTORY" "${source[@]}"
  fi
  output binary "$DIRECTORY/bin/phaser"
}

# Runs phaser, and says how it went in outputs and in the summary of the job. Always succeeds.
check() {
  cd -- "${INPUT_WORKING_DIRECTORY:-.}"
  local sarif=${INPUT_SARIF_FILE:-$RUNNER_TEMP/phaser.sarif} log=$RUNNER_TEMP/phaser.log code=0
  [[ $sarif == /* ]] || sarif=$PWD/$sarif
  rm -f -- "$sarif"
  local arguments=(--strict --severity "${INPUT_SEVERITY:-all}" --fail-on "${INPUT_FAIL_ON:-error}")
  [[ -z ${INPUT_CONTRACTS_DIR:-} ]] || arguments+=(--contracts-dir "$INPUT_CONTRACTS_DIR")
  local base=${INPUT_BASE:-${GITHUB_BASE_REF:+origin/$GITHUB_BASE_REF}}
  case ${INPUT_MODE:-all} in
    all) arguments+=(--all) ;;
    staged) arguments+=(--staged) ;;
    diff)
      [[ -n $base ]] || die "mode diff needs a pull request, or 'base'"
      arguments+=("--diff=$base..HEAD")
      ;;
    *) die "mode '$INPUT_MODE': choose all, diff or staged" ;;
  esac
  "$BINARY" enforce "${arguments[@]}" --format sarif --output "$sarif" | tee "$log" || code=${PIPESTATUS[0]}
  report "$log"
  output exit-code "$code"
  if [[ -e $sarif ]]; then output sarif-file "$sarif"; fi
}

# The counts as outputs, and everything in the summary.
report() {
  local counts errors='' warnings='' ignored=''
  counts=$(tail -n 1 "$1")
  if [[ $counts =~ ^([0-9]+)\ errors?,\ ([0-9]+)\ warnings?(,\ ([0-9]+)\ ignored)?$ ]]; then
    errors=${BASH_REMATCH[1]} warnings=${BASH_REMATCH[2]} ignored=${BASH_REMATCH[4]:-0}
  fi
  output errors "$errors"
  output warnings "$warnings"
  output ignored "$ignored"
  {
    echo "### phaser: ${counts:-it could not run; see the log}"
    echo
    if [[ $errors$warnings != 00 && -n $errors ]]; then
      # What GitHub shows is at most a megabyte, and lines of contracts and files are shown as they are.
      echo '<pre>'
      head -c 100000 "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
      echo '</pre>'
      echo
    fi
  } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# Ends the job as phaser ended.
finish() {
  case ${EXIT_CODE:-} in
    0) ;;
    1) die_with 1 "there are violations; see above" ;;
    *) die_with 3 "not everything could be checked; see above" ;;
  esac
}

die_with() {
  echo "phaser action: $2" >&2
  exit "$1"
}

case ${1:-} in
  prepare | install | check | finish) "$1" ;;
  *) die "usage: action.sh prepare|install|check|finish" ;;
esac
