#!/usr/bin/env bash
# The steps of action.yml. Inputs arrive as environment variables and are never evaluated as shell.
set -euo pipefail

die() {
  echo "phaser action: $*" >&2
  exit 3
}

# Sets an output of the step. Rejects values of several lines, which could set other outputs.
output() {
  [[ $2 != *$'\n'* ]] || die "$1 must be on one line"
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# The version of phaser in this checkout.
own_version() { sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1; }

# Sets the directory of the binary, and its cache key (a hash of the sources) if it has to be built.
prepare() {
  [[ -z ${INPUT_PATH:-} ]] || return 0
  output directory "$RUNNER_TEMP/phaser"
  [[ ${INPUT_VERSION:-} == source ]] || return 0
  local sources
  sources=$(cd "$GITHUB_ACTION_PATH" &&
    find Cargo.toml Cargo.lock crates src packs -type f | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | git hash-object --stdin)
  output key "phaser-$RUNNER_OS-$RUNNER_ARCH-$sources"
}

# Finds the binary, downloads it, or builds it.
install() {
  local program
  if [[ -n ${INPUT_PATH:-} ]]; then
    program=$(cd "${INPUT_WORKING_DIRECTORY:-.}" && command -v -- "$INPUT_PATH") || die "path: no program at '$INPUT_PATH'"
    [[ $program == /* ]] || program=$(cd "${INPUT_WORKING_DIRECTORY:-.}" && pwd)/$program
  else
    program=$DIRECTORY/bin/phaser
    if [[ ${INPUT_VERSION:-} != source ]]; then
      download
    elif [[ ! -x $program ]]; then
      build
    fi
  fi
  output binary "$program"
}

build() {
  command -v cargo >/dev/null || die "cargo is needed for 'version: source': install Rust first, or choose a release"
  CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$RUNNER_TEMP/phaser-target}" \
    cargo install --quiet --locked --root "$DIRECTORY" --path "$GITHUB_ACTION_PATH"
}

# Downloads and unpacks a release. Verifies the checksum of the input, or else that of the release.
download() {
  local version=${INPUT_VERSION:-$(own_version)} name releases wanted actual
  version=${version#v}
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$ ]] || die "version '$version': write it as in 1.2.3, or 'source'"
  name=phaser-enforce-$version-$(platform).tar.gz
  releases=$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/v$version
  mkdir -p -- "$DIRECTORY"
  get "$releases/$name" "$DIRECTORY/$name" || die "there is no release $version for this platform at $releases; \
choose one with 'version', or build it with 'version: source'"
  wanted=${INPUT_CHECKSUM:-}
  if [[ -z $wanted ]]; then
    get "$releases/SHA256SUMS" "$DIRECTORY/SHA256SUMS" || die "the release $version has no SHA256SUMS; set 'checksum'"
    wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$DIRECTORY/SHA256SUMS")
  fi
  actual=$(sha256 "$DIRECTORY/$name")
  if [[ ! $wanted =~ ^[0-9a-f]{64}$ || $actual != "$wanted" ]]; then
    rm -f -- "$DIRECTORY/$name"
    die "$name has the checksum $actual instead of '$wanted'; it is not used"
  fi
  tar -xzf "$DIRECTORY/$name" -C "$DIRECTORY" --strip-components=1
  rm -f -- "$DIRECTORY/$name"
}

platform() {
  case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
    Linux-X64) echo x86_64-unknown-linux-gnu ;;
    Linux-ARM64) echo aarch64-unknown-linux-gnu ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    *) die "there is no release for ${RUNNER_OS:-} on ${RUNNER_ARCH:-}; try 'version: source'" ;;
  esac
}

get() { curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$2" -- "$1"; }

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum -- "$1"; else shasum -a 256 -- "$1"; fi | cut -d ' ' -f 1
}

# Adds the flag for an input that is set.
arguments=()
flag() { [[ -z $2 ]] || arguments+=("$1=$2"); }

# Whether an input is 'true'. Fails for anything but 'true' and 'false'.
is_true() {
  case $2 in
    true) return 0 ;;
    false) return 1 ;;
    *) die "$1 '$2': choose true or false" ;;
  esac
}

# The arguments of phaser, from the inputs.
packs=()
read_inputs() {
  local base=${INPUT_BASE:-${GITHUB_BASE_REF:+origin/$GITHUB_BASE_REF}} pack
  arguments=(--strict --severity "${INPUT_SEVERITY:-all}" --fail-on "${INPUT_FAIL_ON:-error}")
  case ${INPUT_MODE:-all} in
    all) arguments+=(--all) ;;
    staged) arguments+=(--staged) ;;
    diff)
      [[ -n $base ]] || die "mode diff needs a pull request, or 'base'"
      arguments+=("--diff=$base..HEAD")
      ;;
    *) die "mode '$INPUT_MODE': choose all, diff or staged" ;;
  esac
  case ${INPUT_CONTRACTS_FROM:-} in
    '') ;;
    # On a push the base is empty: the contracts of the push apply.
    base) flag --contracts-from "$base" ;;
    *) flag --contracts-from "$INPUT_CONTRACTS_FROM" ;;
  esac
  flag --contracts-dir "${INPUT_CONTRACTS_DIR:-}"
  flag --only "${INPUT_ONLY:-}"
  flag --skip "${INPUT_SKIP:-}"
  flag --timeout "${INPUT_TIMEOUT:-}"
  read -r -d '' -a packs <<<"$(tr ',' ' ' <<<"${INPUT_PACKS:-}")" || true
  for pack in ${packs[@]+"${packs[@]}"}; do flag --pack "$pack"; done
  if is_true new-lines "${INPUT_NEW_LINES:-false}"; then arguments+=(--new-lines); fi
  if ! is_true baseline "${INPUT_BASELINE:-true}"; then arguments+=(--no-baseline); fi
}

# The range of the history, from the input.
past=()
read_history() {
  local far=${INPUT_HISTORY:-}
  past=()
  if [[ -z $far ]]; then
    return
  elif [[ $far =~ ^([0-9]+)\ commits?$ ]]; then
    past=("--commits=${BASH_REMATCH[1]}" --every=1)
  elif [[ $far =~ ^[0-9]+\ days?$ ]]; then
    past=("--since=$far ago" --every=day)
  elif [[ $far =~ ^[0-9]+\ (week|month|year)s?$ ]]; then
    past=("--since=$far ago" --every=week)
  elif [[ $far =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]]; then
    past=("--since=$far" --every=week)
  else
    die "history '$far': write it as in '12 weeks', '30 days', '100 commits' or '2026-01-31'"
  fi
  flag_past --contracts-dir "${INPUT_CONTRACTS_DIR:-}"
  flag_past --only "${INPUT_ONLY:-}"
  flag_past --skip "${INPUT_SKIP:-}"
  for pack in ${packs[@]+"${packs[@]}"}; do flag_past --pack "$pack"; done
}
flag_past() { [[ -z $2 ]] || past+=("$1=$2"); }

# Adds the trend to the job summary. Never fails the job.
trend() {
  local log=$RUNNER_TEMP/phaser-history.log summary=${GITHUB_STEP_SUMMARY:-/dev/null}
  "$BINARY" history "${past[@]}" --format json >"$history" 2>"$log" || true
  inertly cat -- "$log"
  if ! "$BINARY" report trend "$history" >>"$summary"; then
    rm -f -- "$history"
    printf '### phaser: no trend; see the log\n\n' >>"$summary"
  fi
  if [[ $(git rev-parse --is-shallow-repository 2>/dev/null) == true ]]; then
    printf "The checkout is shallow: it has %s of the commits. For the whole trend, give 'fetch-depth: 0' to actions/checkout.\n\n" \
      "$(git rev-list --count --first-parent HEAD)" >>"$summary"
  fi
}

# Writes the HTML page, with the trend if there is one.
page() {
  local title=${GITHUB_REPOSITORY:-}${GITHUB_SHA:+@${GITHUB_SHA:0:10}} with=()
  "$BINARY" enforce "${arguments[@]}" --format html --output "$1" --quiet >/dev/null 2>&1 || true
  [[ -e $1 ]] || return 0
  if [[ -e $history ]]; then with=("--history=$history"); fi
  "$BINARY" report html "$1" "--title=$title" "--output=$1" ${with[@]+"${with[@]}"}
  output html-file "$1"
}

# Runs a command and logs its output with workflow commands disabled: it contains file names and contract texts.
inertly() {
  local token code=0
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
  "$@" || code=$?
  echo "::$token::"
  return "$code"
}

enforce() { "$BINARY" enforce "${arguments[@]}" --format github --output "$1" 2>&1 | tee "$2"; }

# Runs phaser and writes log, annotations, job summary and outputs. Succeeds with violations too.
check() {
  cd -- "${INPUT_WORKING_DIRECTORY:-.}"
  local log=$RUNNER_TEMP/phaser.log annotations=$RUNNER_TEMP/phaser.annotations sarif='' html='' code=0 upload=false
  history=$RUNNER_TEMP/phaser-history.json
  is_true upload "${INPUT_UPLOAD:-false}" && upload=true
  if [[ $upload == true || -n ${INPUT_SARIF_FILE:-} ]]; then
    sarif=${INPUT_SARIF_FILE:-$RUNNER_TEMP/phaser.sarif}
    [[ $sarif == /* ]] || sarif=$PWD/$sarif
    [[ $sarif != *$'\n'* ]] || die "sarif-file must be on one line"
    rm -f -- "$sarif"
  fi
  if is_true html "${INPUT_HTML:-false}"; then
    html=${INPUT_HTML_NAME:-phaser-report}
    [[ $html =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || die "html-name '$html': write letters, digits, '.', '_' and '-'"
    html=$RUNNER_TEMP/$html.html
    rm -f -- "$html"
  fi
  rm -f -- "$annotations" "$history"
  read_inputs
  read_history
  inertly enforce "$annotations" "$log" || code=$?
  # Code scanning annotates the same lines from the uploaded log.
  if [[ $upload == false && -e $annotations ]]; then cat -- "$annotations"; fi
  if [[ -n $sarif ]]; then
    "$BINARY" enforce "${arguments[@]}" --format sarif --output "$sarif" --quiet >/dev/null 2>&1 || true
    if [[ -e $sarif ]]; then output sarif-file "$sarif"; fi
  fi
  count "$annotations"
  if [[ ${#past[@]} -gt 0 ]]; then trend; fi
  if [[ -n $html ]]; then page "$html"; fi
  output exit-code "$code"
}

# The counts as outputs: the last line of the annotations.
count() {
  local counts='' errors='' warnings='' ignored=''
  [[ ! -e $1 ]] || counts=$(tail -n 1 -- "$1")
  if [[ $counts =~ ^([0-9]+)\ errors?,\ ([0-9]+)\ warnings?(,\ ([0-9]+)\ ignored)? ]]; then
    errors=${BASH_REMATCH[1]} warnings=${BASH_REMATCH[2]} ignored=${BASH_REMATCH[4]:-0}
  else
    printf '### phaser: it could not run; see the log\n\n' >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  fi
  output errors "$errors"
  output warnings "$warnings"
  output ignored "$ignored"
}

# Exits with phaser's exit code.
finish() {
  if [[ -n ${PAGE:-} ]]; then
    printf '[The report as a page](%s)\n\n' "$PAGE" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  fi
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
