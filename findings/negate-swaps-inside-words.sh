#!/usr/bin/env bash
# negate --substitute of the Monitoring Plugins, which also swaps the state in the text of a plugin.
#
# Expected (the guess): it replaces the word of the state where the guidelines put it, at the start of the first line.
# What happens: it replaces these letters everywhere: in words (TOKYO-1 becomes TCRITICALYO-1), in labels of performance
# data (so that a graph starts anew), and in the other lines.
# For whom: who names machines, queues or metrics with OK in capital letters, such as Tokyo, Oklahoma or TOKENS.
# Versions: negate 2.3.3 of Debian 12 (monitoring-plugins-basic).
# Source: negate --help, "--substitute: Substitute output text as well. Will only substitute text in CAPITALS".
set -euo pipefail
program=/usr/lib/nagios/plugins/negate
[[ -x $program ]] || {
  echo 'Install monitoring-plugins-basic of Debian 12.' >&2
  exit 1
}
"$program" --version
run() { timeout 60 "$program" --substitute /bin/sh -c "$1" || test $? = 2; }
names=$(run 'echo "OK - TOKYO-1 is online | tokyo_OK=1"')
lines=$(run 'printf "OK - all is fine\nqueue TOKENS: 5\n"')
printf '%s\n%s\n' "$names" "$lines"
[[ $names == 'CRITICAL - TCRITICALYO-1 is online | tokyo_CRITICAL=1' ]]
[[ $lines == 'CRITICAL - all is fine
queue TCRITICALENS: 5' ]]
