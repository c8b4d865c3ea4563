#!/usr/bin/env bash
# Performance data with a unit of one letter, in Icinga 2.
#
# Expected (the guess): Icinga keeps a unit that the guidelines for plugins do not name, as text, or drops it.
# What happens: `120m` (meters, millicores) is stored as 7,200 seconds, since `m` is minutes; `5k` (thousands) as 5 kelvin;
# `2d` as 172,800 seconds. A unit that Icinga does not know is dropped: `3min` is the bare number 3.
# For whom: who writes plugins that print what Kubernetes, a sensor or a person calls `m` and `k`, and who compares the
# numbers of a dashboard with those of the plugin.
# Versions: Icinga 2.13.6 of Debian 12 (icinga2-bin).
# Source: https://www.monitoring-plugins.org/doc/guidelines.html, "Performance data", which has s, %, B and c alone.
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
    "var p = parse_performance_data(\"$1\"); Json.encode([p.value, p.unit])" 2>/dev/null | sed 's/["\\]//g'
}
for data in cpu=120m clients=5k age=2d age=3min; do
  seen=$(read_value "$data")
  echo "$data is read as $seen"
  all="${all-}$seen "
done
[[ $all == '[7200,seconds] [5,degrees-kelvin] [172800,seconds] [3,] ' ]]
