#!/usr/bin/env bash
# catatonit, the init of Podman, before a program that has options of its own.
#
# Expected (the guess): the first word that is no option is the program, and all after it is the program's, as with
# dumb-init, env, nice and timeout.
# What happens: catatonit takes options from everywhere. A long one of the program is an error; a short one that catatonit
# has too, such as -V or -g, is carried out: the program never starts, and the container exits with 0. `--` is needed.
# For whom: who writes ENTRYPOINT ["catatonit", "program", "-V"], or replaces dumb-init by it.
# Versions: catatonit 0.1.7 and dumb-init 1.2.5 of Debian 12.
# Source: its usage: catatonit [-ghLPV] [--] <progname> [<arguments>...]
set -euo pipefail
for program in catatonit dumb-init; do
  command -v "$program" >/dev/null || {
    echo "Install $program of Debian 12." >&2
    exit 1
  }
done
catatonit -V
run() { timeout 20 "$@" 2>&1 || echo "exit code $?"; }
short=$(run catatonit sort -V /dev/null)
long=$(run catatonit echo --name x)
other=$(run dumb-init echo --name x)
marked=$(run catatonit -- echo --name x)
printf 'catatonit sort -V:         %s\ncatatonit echo --name x:   %s\n' "$short" "${long//$'\n'/; }"
printf 'dumb-init echo --name x:   %s\ncatatonit -- echo --name x: %s\n' "$other" "$marked"
[[ $short == *0.1.7* && $short != *'exit code'* ]]
[[ $long == *"unrecognized option '--name'"*'exit code 1' ]]
[[ $other == '--name x' && $marked == '--name x' ]]
