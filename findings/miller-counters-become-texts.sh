#!/usr/bin/env bash
# Miller and numbers that do not fit a signed integer of 64 bits, or that have a plus sign.
#
# Expected (the guess): an integer that is too large is read as a floating-point number, as the results of Miller's own
# arithmetic are, and `+5` is 5.
# What happens: 9223372036854775808 (2^63, as counters of bytes and ids are), +5 and 1e400 are texts. A sum is (error),
# a numeric sort puts them after every number, and `mlr --json cat` gives the number of a JSON file back in quotes.
# For whom: who adds up counters, and who sorts ids of 64 unsigned bits.
# Versions: Miller 6.6.0 of Debian 12.
# Source: https://miller.readthedocs.io/en/6.6.0/reference-main-arithmetic/, "Input scanning": what can be scanned as
# float is one.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v mlr >/dev/null || {
  echo 'Install miller of Debian 12.' >&2
  exit 1
}
mlr --version
printf 'n\n9223372036854775808\n9223372036854775807\n+5\n4\n1e400\n1e30\n' >"$dir/in.csv"
# shellcheck disable=SC2016
types=$(timeout 60 mlr --icsv --onidx put -q 'emit1 {"t": $n . " " . typeof($n)}' "$dir/in.csv")
sorted=$(timeout 60 mlr --icsv --onidx sort -nf n "$dir/in.csv" | tr '\n' ' ')
# shellcheck disable=SC2016
sum=$(printf 'n\n9223372036854775808\n1\n' | timeout 60 mlr --icsv --onidx put '$n = $n + 1' | tr '\n' ' ')
json=$(echo '{"n": 12345678901234567890}' | timeout 60 mlr --ijson --ojsonl cat)
printf '%s\nsorted as numbers: %s\nplus one: %s\nfrom JSON to JSON: %s\n' "$types" "$sorted" "$sum" "$json"
[[ $types == '9223372036854775808 string
9223372036854775807 int
+5 string
4 int
1e400 string
1e30 float' ]]
[[ $sorted == '4 9223372036854775807 1e30 '* ]]
[[ $sum == '(error) 2 ' ]]
[[ $json == '{"n": "12345678901234567890"}' ]]
