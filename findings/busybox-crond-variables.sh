#!/usr/bin/env bash
# busybox crond: a line NAME=value of a crontab sets no variable, and % does not end a command.
#
# Expected (the guess): a crontab that works with Debian's cron works with busybox crond: `PATH=…` and other variables
# apply to the commands below them, and a % has to be written `\%`, as crontab(5) says.
# What happens: crond ignores the lines with variables and says nothing. A command gets the PATH and the other variables of
# crond itself, so that a program in the PATH of the crontab is not found, and a variable with an address or with the
# name of a key file is missing. A % is a character like any other. The shell removes the backslash of `5\%`, but within
# single quotes it stays.
# Versions: busybox-static 1.35.0 of Debian 12.
# For: whoever copies a line for cron into an image with busybox: write `PATH=… command` in the line itself.
# Source: crontab(5) of Debian's cron 3.0pl1 on environment settings and the percent sign; `busybox crond --help` names neither.
set -euo pipefail

directory=$(mktemp -d)
trap 'kill "${crond:-}" 2>/dev/null || true; rm -rf "$directory"' EXIT
cd "$directory"
timeout 120 apt-get download -qq busybox-static >/dev/null 2>&1
dpkg -x busybox-static_*.deb .
echo "busybox-static $(dpkg-deb -f busybox-static_*.deb Version)"

mkdir bin-of-the-crontab crontabs
cat >bin-of-the-crontab/tell <<SH
#!/bin/sh
echo "found: \$*, COLOR=\${COLOR-unset}" >>"$directory/told"
SH
chmod +x bin-of-the-crontab/tell
cat >"crontabs/$(id -un)" <<CRON
PATH=$directory/bin-of-the-crontab:/usr/bin:/bin
COLOR=green
* * * * * tell by name
* * * * * $directory/bin-of-the-crontab/tell bare 5% quoted '5\%' escaped 5\%; touch $directory/done
CRON
chmod 600 crontabs/*
./bin/busybox crond -f -l 8 -c "$directory/crontabs" >log 2>&1 &
crond=$!
# crond runs the commands within the first seconds of a minute.
timeout 100 sh -c 'until [ -e done ]; do sleep 1; done'
cat told
grep -om1 'tell: .*not found' log
[[ $(cat told) == 'found: bare 5% quoted 5\% escaped 5%, COLOR=unset' ]]
