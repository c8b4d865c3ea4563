#!/usr/bin/env bash
# Performance data with thresholds that are ranges, in Icinga 2.
#
# Expected (the guess): a threshold such as `95:` (warn below 95) or `~:5` (warn above 5), of the Monitoring Plugins
# guidelines, reaches the writers for Graphite and InfluxDB as it is, or at least as its number.
# What happens: warn and crit are null; only a plain number is kept. There is no error, and the value itself is right.
# So a dashboard has no lines for what must not fall below a bound. `~:5` is what `5` means for a value that is never
# negative: write that.
# For whom: who writes plugins for more than one monitoring system.
# Versions: Icinga 2.13.6 of Debian 12 (icinga2-bin).
# Source: https://www.monitoring-plugins.org/doc/guidelines.html, "Threshold and Ranges"; Icinga 2 documentation,
# "Performance Data Writer" with enable_send_thresholds.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v icinga2 >/dev/null || {
  echo 'Install icinga2-bin of Debian 12.' >&2
  exit 1
}
icinga2 --version 2>/dev/null | sed -n 1p
read_value() {
  HOME=$dir timeout 60 icinga2 console --eval \
    "var p = parse_performance_data(\"$1\"); Json.encode([p.value, p.warn, p.crit])" 2>/dev/null | tr -d '"'
}
for data in 'offline=3;2;5' 'offline=3;~:2;~:5' 'online=97;95:;90:' 'load=3;@1:2;5'; do
  seen=$(read_value "$data")
  echo "$data is read as $seen"
  all="${all-}$seen "
done
[[ $all == '[3,2,5] [3,null,null] [97,null,null] [3,null,5] ' ]]
