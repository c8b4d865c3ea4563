#!/usr/bin/env bash
# A file of metrics in which one series occurs twice with other values, in three programs that read this format.
#
# Expected (the guess): `promtool check metrics`, which is there to check such files, finds it, as it finds a missing HELP.
# What happens: promtool says nothing, and exits with 0. Pushgateway refuses the same file with 400. node_exporter serves
# the first value with status 200, drops the second, and keeps node_textfile_scrape_error at 0. With a time stamp promtool
# says nothing either, but node_exporter drops the whole file.
# For whom: who checks generated metrics with promtool in CI: it checks names and texts, not whether a file can be served.
# Versions: promtool 2.42.0, node_exporter 1.5.0 and Pushgateway 1.5.1 of Debian 12.
# Source: promtool check metrics --help: "Pass Prometheus metrics over stdin to lint them for consistency and correctness".
set -euo pipefail
dir=$(mktemp -d)
jobs_of() { jobs -p | xargs -r kill 2>/dev/null || true; }
trap 'jobs_of; rm -rf "$dir"' EXIT
for program in promtool prometheus-node-exporter prometheus-pushgateway curl; do
  command -v "$program" >/dev/null || {
    echo "Install promtool (prometheus), prometheus-node-exporter, prometheus-pushgateway and curl of Debian 12." >&2
    exit 1
  }
done
for program in promtool prometheus-node-exporter prometheus-pushgateway; do "$program" --version 2>&1 | sed -n 1p; done
mkdir "$dir/files"
head='# HELP fleet_up The fleet is up\n# TYPE fleet_up gauge\n'
# shellcheck disable=SC2059
printf "${head}fleet_up{site=\"a\"} 1\nfleet_up{site=\"a\"} 0\n" >"$dir/files/twice.prom"
# shellcheck disable=SC2059
printf "${head}fleet_up{site=\"b\"} 1 1700000000000\n" >"$dir/timed"
for file in files/twice.prom timed; do
  echo "promtool on $file: $(timeout 60 promtool check metrics <"$dir/$file" 2>&1), exit code $?"
done
port=$((20000 + RANDOM % 10000))
timeout 60 prometheus-node-exporter --collector.disable-defaults --collector.textfile \
  --collector.textfile.directory="$dir/files" --web.listen-address="127.0.0.1:$port" 2>/dev/null &
timeout 60 prometheus-pushgateway --web.listen-address="127.0.0.1:$((port + 1))" 2>/dev/null &
fetch() { curl -s --max-time 10 --retry 20 --retry-connrefused --retry-delay 1 "$@"; }
pushed=$(fetch -o /dev/null -w '%{http_code}' --data-binary @"$dir/files/twice.prom" "http://127.0.0.1:$((port + 1))/metrics/job/fleet")
echo "Pushgateway: $pushed"
served() { fetch "http://127.0.0.1:$port/metrics" | grep -E '^(fleet_up|node_textfile_scrape_error)'; }
twice=$(served)
mv "$dir/timed" "$dir/files/twice.prom"
timed=$(served)
printf 'node_exporter, twice:\n%s\nnode_exporter, with a time stamp:\n%s\n' "$twice" "$timed"
[[ $pushed == 400 ]]
[[ $twice == 'fleet_up{site="a"} 1
node_textfile_scrape_error 0' ]]
[[ $timed == 'node_textfile_scrape_error 1' ]]
