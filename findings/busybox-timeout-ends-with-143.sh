#!/usr/bin/env bash
# timeout of BusyBox, as in Alpine and in initramfs, and its exit code when the time is over.
#
# Expected (the guess): 124, as with GNU timeout, whose options it copies, so that a script can tell an end by time from a
# failure.
# What happens: BusyBox ends as the command does: 143 (128 + SIGTERM), or the command's own code if it handles TERM, which
# may be 0: then a command that was cut off looks like one that has finished.
# For whom: who tests for 124 in a script or a health check that also runs in an image of Alpine.
# Versions: BusyBox 1.35.0 and GNU coreutils 9.1 of Debian 12.
# Source: busybox timeout --help, which names no exit code; timeout(1), "EXIT status": 124.
set -euo pipefail
command -v busybox >/dev/null || {
  echo 'Install busybox of Debian 12.' >&2
  exit 1
}
busybox | sed -n 1p
timeout --version | sed -n 1p
code() { timeout --foreground 60 "$@" >/dev/null 2>&1 && echo 0 || echo $?; }
dies='exec sleep 20'
tidies='trap "exit 0" TERM; sleep 20 & wait'
gnu="$(code timeout 1 sh -c "$dies") $(code timeout 1 sh -c "$tidies")"
box="$(code busybox timeout 1 sh -c "$dies") $(code busybox timeout 1 sh -c "$tidies")"
echo "a command that TERM kills, and one that ends with 0 on TERM: GNU $gnu, BusyBox $box"
[[ $gnu == '124 124' && $box == '143 0' ]]
