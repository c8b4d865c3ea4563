#!/bin/sh
# Installs connectorctl, one file that needs neither Node.js nor root:
#
#   install.sh [--version VERSION] [--dir DIRECTORY] [--repository URL]
#
# VERSION: without it the release that this file belongs to, or else the newest.
# DIRECTORY: $XDG_BIN_HOME or ~/.local/bin; for root /usr/local/bin.
# URL: of the repository, such as https://github.com/OWNER/NAME; a release fills it in here.
# The file is compared with SHA256SUMS of the release, and started once, before it replaces another.
# Exit codes: 0 installed, 1 not installed and nothing changed, 2 wrong words, 3 there is no such release.
set -eu

repository=
version=
directory=

say() { printf 'install.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
misused() { say "$*"; exit 2; }
has() { command -v "$1" >/dev/null 2>&1; }

work=
staged=
created=
# Removes what is not installed. A directory that was made is removed if it is still empty.
clean() {
  if [ -n "$work" ]; then rm -rf "$work"; fi
  if [ -n "$staged" ]; then rm -f "$staged"; fi
  if [ -n "$created" ]; then rmdir "$created" 2>/dev/null || :; fi
}

read_words() {
  while [ $# -gt 0 ]; do
    case $1 in
      --version | --dir | --repository)
        if [ $# -lt 2 ]; then misused "$1 needs a value"; fi
        case $1 in
          --version) version=${2#v} ;;
          --dir) directory=$2 ;;
          --repository) repository=${2%/} ;;
        esac
        shift 2
        ;;
      -h | --help)
        echo 'install.sh [--version VERSION] [--dir DIRECTORY] [--repository URL]'
        exit 0
        ;;
      *) misused "$1 is unknown: use --version, --dir or --repository" ;;
    esac
  done
}

# Sets platform.
find_platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no executable for $(uname -s): install the npm package" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "there is no executable for the processor $(uname -m): install the npm package" ;;
  esac
  for loader in /lib/ld-musl-*; do
    if [ -e "$loader" ] && [ "$system" = linux ]; then
      fail 'there is no executable for musl (Alpine): install the npm package'
    fi
  done
  platform=$system-$processor
}

find_tools() {
  if has sha256sum; then
    digest() { sha256sum <"$1" | cut -d ' ' -f 1; }
  elif has shasum; then
    digest() { shasum -a 256 <"$1" | cut -d ' ' -f 1; }
  elif has openssl; then
    digest() { openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1; }
  else
    fail 'sha256sum, shasum or openssl is needed to check what is downloaded'
  fi
  has tar || fail 'tar is needed'
  if ! has xz && [ "$(uname -s)" != Darwin ]; then
    fail 'xz is needed to unpack the archive (Debian: xz-utils; Fedora: xz)'
  fi
  case $repository in
    '') fail 'this file belongs to no release: take the install.sh of a release, or name one with --repository' ;;
    https://*) protocols='=https' ;;
    http://127.0.0.1:* | http://localhost:*) protocols='=http' ;;
    *) fail "$repository is no address that begins with https://" ;;
  esac
  # The wget of busybox does not check certificates.
  if ! has curl && ! wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    fail 'curl or GNU wget is needed'
  fi
}

# fetch URL FILE [FLAG]: fails with 3 if the server answers 404. FLAG: what curl shows meanwhile.
fetch() {
  if has curl; then
    status=$(curl --proto "$protocols" --proto-redir "$protocols" "${3:---silent}" --show-error --location \
      --retry 3 --connect-timeout 30 --output "$2" --write-out '%{http_code}' "$1") || return 1
  else
    status=$(wget --server-response --tries=3 --timeout=30 --output-document="$2" "$1" 2>&1 |
      sed -n 's|^ *HTTP/[0-9.]* \([0-9]*\).*|\1|p' | tail -n 1)
  fi
  case $status in
    200) ;;
    404) return 3 ;;
    *) say "$1: HTTP status ${status:-none}"; return 1 ;;
  esac
}

# Sets version and expected from the list of the release.
read_checksums() {
  releases=$repository/releases
  files=$releases/latest/download
  if [ -n "$version" ]; then files=$releases/download/v$version; fi
  outcome=0
  fetch "$files/SHA256SUMS" "$work/SHA256SUMS" || outcome=$?
  if [ "$outcome" = 3 ] && [ -n "$version" ]; then
    found=0
    fetch "$releases/tag/v$version" "$work/page" || found=$?
    if [ "$found" = 3 ]; then
      say "there is no release $version at $releases"
      exit 3
    fi
  fi
  case $outcome in
    0) ;;
    3) fail "$files has no SHA256SUMS, without which nothing is installed" ;;
    *) fail "$files/SHA256SUMS could not be downloaded" ;;
  esac
  line=$(grep -E "^[0-9a-f]{64} [ *]connectorctl-[0-9][0-9A-Za-z.+-]*-$platform\.tar\.xz\$" \
    "$work/SHA256SUMS") || fail "$files/SHA256SUMS lists no archive for $platform"
  if [ "$(printf '%s\n' "$line" | wc -l)" -ne 1 ]; then
    fail "$files/SHA256SUMS lists several archives for $platform"
  fi
  expected=${line%% *}
  archive=connectorctl-${line#*connectorctl-}
  listed=${archive#connectorctl-}
  listed=${listed%"-$platform.tar.xz"}
  if [ -n "$version" ] && [ "$listed" != "$version" ]; then
    fail "$files/SHA256SUMS is of version $listed, not $version"
  fi
  version=$listed
}

download() {
  say "connectorctl $version for $platform from $releases (32 MB) ..."
  progress=--silent
  if [ -t 2 ]; then progress=--progress-bar; fi
  fetch "$releases/download/v$version/$archive" "$work/$archive" "$progress" ||
    fail "$archive could not be downloaded"
  actual=$(digest "$work/$archive")
  if [ "$actual" != "$expected" ]; then
    fail "$archive is damaged or not the one of the release: its SHA-256 is $actual, not $expected"
  fi
  (cd "$work" && tar -xJf "$archive" "connectorctl-$version-$platform/connectorctl") ||
    fail "$archive cannot be unpacked"
}

# Moves the file into its place in one step: until then an older one stays as it is.
put() {
  target=$directory/connectorctl
  if [ -d "$target" ]; then fail "$target is a directory"; fi
  if [ ! -d "$directory" ]; then
    mkdir -p "$directory" || fail "$directory cannot be made: choose another one with --dir"
    created=$directory
  fi
  staged=$directory/.connectorctl.$$
  cp "$work/connectorctl-$version-$platform/connectorctl" "$staged" ||
    fail "$directory cannot be written to: choose another one with --dir"
  chmod 755 "$staged"
  shown=$("$staged" --version) || fail 'the executable does not start on this machine: install the npm package'
  mv -f "$staged" "$target" || fail "$target cannot be replaced"
  staged=
  created=
  echo "$target: ${shown%% *}"
  case :$PATH: in
    *:"$directory":*) ;;
    *)
      say "$directory is not in PATH: type $target, or add this line to ~/.profile and log in again"
      # shellcheck disable=SC2016 # for the file, not for here
      printf '  export PATH="%s:$PATH"\n' "$directory" >&2
      ;;
  esac
}

main() {
  read_words "$@"
  if [ -z "$directory" ]; then
    if [ "$(id -u)" = 0 ]; then
      directory=/usr/local/bin
    else
      directory=${XDG_BIN_HOME:-${HOME:?is not set: use --dir}/.local/bin}
    fi
  fi
  umask 022
  find_platform
  find_tools
  trap clean EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d)
  read_checksums
  download
  put
}

# The whole file is read before anything runs: half of a download does nothing.
main "$@"
