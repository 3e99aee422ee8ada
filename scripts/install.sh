#!/bin/sh
# Installs a released phaser into ~/.local, for one user, without sudo.
#
#   PHASER_FROM=ADDRESS sh install.sh
#
# PHASER_FROM      location of the release files: an https URL or a directory. Required until the first release.
# PHASER_VERSION   the release (default: this script's version)
# PHASER_SHA256    the expected checksum (default: the one next to the archive)
# PHASER_PREFIX    the prefix (default: ~/.local): the binary goes to bin, completions and man pages to share
#
# Changes nothing unless the checksum matches.
set -eu

version=${PHASER_VERSION:-0.1.0}

fail() {
  printf 'phaser: %s\n' "$*" >&2
  exit 3
}

have() { command -v "$1" >/dev/null 2>&1; }

# The platform, as in the names of the archives. Linux has one archive for every libc.
platform() {
  case $(uname -m) in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no build for a $(uname -m) processor; build it from source" ;;
  esac
  case $(uname -s) in
    Linux) printf '%s\n' "$processor-unknown-linux-gnu" ;;
    Darwin) printf '%s\n' "$processor-apple-darwin" ;;
    *) fail "there is no build for $(uname -s); build it from source" ;;
  esac
}

# Downloads a file of the release.
get() {
  case $PHASER_FROM in
    https://*)
      if have curl; then
        curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$2" "$PHASER_FROM/$1"
      elif have wget; then
        wget --quiet --https-only --output-document="$2" "$PHASER_FROM/$1"
      else
        fail "curl or wget is needed"
      fi ;;
    *://*) fail "PHASER_FROM must be an https address, or a directory" ;;
    *) cp "$PHASER_FROM/$1" "$2" ;;
  esac || fail "cannot get $1 from $PHASER_FROM"
}

checksum() {
  if have sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif have shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "sha256sum or shasum is needed"
  fi
}

is_checksum() {
  case $1 in
    *[!0-9a-f]*) false ;;
    *) [ ${#1} = 64 ] ;;
  esac
}

main() {
  [ -n "${PHASER_FROM:-}" ] || fail "set PHASER_FROM to the address of a release, or to a directory with its files"
  [ -n "${PHASER_PREFIX:-${HOME:-}}" ] || fail "HOME is not set; set PHASER_PREFIX"
  prefix=${PHASER_PREFIX:-$HOME/.local}
  # 'mv' would move the binary into it.
  [ ! -d "$prefix/bin/phaser" ] || fail "$prefix/bin/phaser is a directory; remove it, or set PHASER_PREFIX"
  target=$(platform)
  name=phaser-enforce-$version-$target
  work=$(mktemp -d) || fail "cannot create a temporary directory"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 3' HUP INT TERM

  get "$name.tar.gz" "$work/archive"
  wanted=${PHASER_SHA256:-}
  if [ -z "$wanted" ]; then
    get "$name.tar.gz.sha256" "$work/sha256"
    wanted=$(cut -d ' ' -f 1 "$work/sha256")
  fi
  is_checksum "$wanted" || fail "'$wanted' is not a SHA-256 checksum; nothing was installed"
  actual=$(checksum "$work/archive")
  [ "$actual" = "$wanted" ] || fail "$name.tar.gz has the checksum $actual instead of $wanted; nothing was installed"

  tar -xzf "$work/archive" -C "$work" || fail "$name.tar.gz cannot be unpacked"
  "$work/$name/bin/phaser" --version >/dev/null || fail "the binary does not run here; nothing was installed"
  { mkdir -p "$prefix/bin" "$prefix/share" && cp -R "$work/$name/share/." "$prefix/share/"; } || fail "cannot write to $prefix"
  # Rename, so that a running phaser is not overwritten.
  next=$prefix/bin/.phaser.$$
  trap 'rm -rf "$work" "$next"' EXIT
  { cp "$work/$name/bin/phaser" "$next" && mv -f "$next" "$prefix/bin/phaser"; } || fail "cannot write to $prefix/bin"
  printf 'installed %s as %s\n' "$("$prefix/bin/phaser" --version)" "$prefix/bin/phaser"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) printf 'add %s to your PATH\n' "$prefix/bin" ;;
  esac
}

# The last line, so that a partial download does nothing.
main
