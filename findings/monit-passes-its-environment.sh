#!/usr/bin/env bash
# The environment of a program that Monit starts, by `check program`, `start program` and `exec`.
#
# Expected (the guess): a small one that Monit makes, as cron does, with a fixed PATH.
# What happens: everything that Monit itself was started with, and MONIT_SERVICE. A check that works after `monit` from a
# shell can fail after a boot, where Monit has another PATH; and what a shell had in variables,
# such as a token, reaches every script.
# For whom: who writes checks for Monit, and who restarts it by hand.
# Versions: Monit 5.33.0 of Debian 12.
# Source: monit(1), "ENVIRONMENT", which lists what is added.
set -euo pipefail
dir=$(mktemp -d)
monit=
trap '[[ -z $monit ]] || kill "$monit" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
command -v monit >/dev/null || {
  echo 'Install monit of Debian 12.' >&2
  exit 1
}
monit --version | sed -n 1p
cat >"$dir/show" <<SHOW
#!/bin/sh
env | grep -E '^(FROM_SHELL|PATH|MONIT_SERVICE)=' | sort >"$dir/\$1.part" && mv "$dir/\$1.part" "$dir/\$1"
exit 1
SHOW
chmod +x "$dir/show"
cat >"$dir/monitrc" <<CONFIGURATION
set daemon 1
set pidfile $dir/monit.pid
set statefile $dir/monit.state
set idfile $dir/monit.id
set log $dir/monit.log
check program fleet with path "$dir/show check"
  if status != 0 then exec "$dir/show exec"
CONFIGURATION
chmod 600 "$dir/monitrc"
env FROM_SHELL=yes PATH=/opt/tools:/usr/bin:/bin timeout 60 monit -I -c "$dir/monitrc" >/dev/null 2>&1 &
monit=$!
for _ in $(seq 300); do
  if [[ -e $dir/exec ]]; then break; fi
  sleep 0.1
done
for way in check exec; do
  echo "$way:"
  cat "$dir/$way"
  [[ $(<"$dir/$way") == 'FROM_SHELL=yes
MONIT_SERVICE=fleet
PATH=/opt/tools:/usr/bin:/bin' ]]
done
