#!/usr/bin/env bash
# Two files for the textfile collector of node_exporter, with different series of one metric, whose HELP texts differ.
#
# Expected: both files are served, with one of the two texts: a HELP text is for people, and the series differ.
# What happens: every series of the second file is missing from /metrics. The status is 200, and
# node_textfile_scrape_error is 0; node_textfile_mtime_seconds even lists the file. Only the log has the errors.
# For whom: who writes files with two versions of one program on a machine, and has reworded a HELP text between them:
# the fleet of the second file raises no alert.
# Versions: node_exporter 1.5.0 of Debian 12.
# Source: https://github.com/prometheus/node_exporter, README, "Textfile Collector", which asks for the text format alone.
set -euo pipefail
dir=$(mktemp -d)
exporter=
trap '[[ -z $exporter ]] || kill "$exporter" 2>/dev/null || true; rm -rf "$dir"' EXIT
program=$(PATH="$PATH:/usr/sbin" command -v prometheus-node-exporter) || {
  echo 'Install prometheus-node-exporter of Debian 12.' >&2
  exit 1
}
"$program" --version 2>&1 | sed -n 1p
mkdir "$dir/files"
printf '# HELP fleet_up The fleet is up\n# TYPE fleet_up gauge\nfleet_up{fleet="a"} 1\n' >"$dir/files/a.prom"
printf '# HELP fleet_up Whether the fleet is up\n# TYPE fleet_up gauge\nfleet_up{fleet="b"} 0\n' >"$dir/files/b.prom"
port=$((20000 + RANDOM % 20000))
timeout 60 "$program" --collector.disable-defaults --collector.textfile \
  --collector.textfile.directory="$dir/files" --web.listen-address="127.0.0.1:$port" 2>"$dir/log" &
exporter=$!
status=$(curl -sS --retry 20 --retry-connrefused --retry-delay 1 --max-time 30 -o "$dir/metrics" -w '%{http_code}' \
  "http://127.0.0.1:$port/metrics")
echo "status $status"
grep -E '^(# HELP )?(fleet_up|node_textfile)' "$dir/metrics"
grep -o 'has help .* but should have .*"' "$dir/log" | head -1
[[ $status == 200 ]]
grep -qx 'fleet_up{fleet="a"} 1' "$dir/metrics"
if grep -q 'fleet="b"' "$dir/metrics"; then exit 1; fi
grep -qx 'node_textfile_scrape_error 0' "$dir/metrics"
