#!/usr/bin/env bash
# Prometheus with a configuration that names a file of rules which does not exist.
#
# Expected (the guess): it refuses to start, as it does for a wrong field, and as `promtool check config` fails for it.
# What happens: it starts, says "Completed loading of configuration file" without a warning, and has no rules: no alert
# ever fires. A name is a pattern, and a pattern may match nothing. promtool is stricter than the server.
# For whom: who moves or renames a file of rules, or mounts it after the start. prometheus_config_last_reload_successful
# is 1; only prometheus_rule_group_rules is missing. Run promtool before each start.
# Versions: Prometheus 2.42.0 of Debian 12.
# Source: https://prometheus.io/docs/prometheus/latest/configuration/configuration/, 
# "Rule files specifies a list of globs."
set -euo pipefail
dir=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
for program in prometheus promtool curl; do
  command -v "$program" >/dev/null || {
    echo 'Install prometheus and curl of Debian 12.' >&2
    exit 1
  }
done
prometheus --version 2>&1 | sed -n 1p
echo "rule_files: ['$dir/alerts.yml']" >"$dir/prometheus.yml"
lint=0
timeout 60 promtool check config "$dir/prometheus.yml" >"$dir/lint" 2>&1 || lint=$?
echo "promtool: exit code $lint, $(grep -o 'does not point to an existing file' "$dir/lint")"
port=$((20000 + RANDOM % 10000))
timeout 60 prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
  --web.listen-address="127.0.0.1:$port" 2>"$dir/log" &
server=$!
rules=$(curl -s --max-time 10 --retry 30 --retry-all-errors --retry-delay 1 "http://127.0.0.1:$port/api/v1/rules")
until grep -q 'Completed loading' "$dir/log"; do sleep 0.1; done
echo "Prometheus: $(grep -o 'Completed loading of configuration file' "$dir/log"), rules: $rules"
warnings=$(grep -cE 'level=(warn|error)' "$dir/log" || true)
echo "warnings and errors in the log: $warnings"
[[ $lint != 0 && $warnings == 0 && $rules == '{"status":"success","data":{"groups":[]}}' ]]
