#!/usr/bin/env bash
# ssconvert of Gnumeric, from CSV to CSV, for instance to change a separator or an encoding.
#
# Expected (the guess): cells that are no numbers come out as they went in, and a number of 20 digits loses digits, as in
# other spreadsheets.
# What happens: the reverse. All 20 digits stay. But 3/4 becomes a date of the current year, 2024-01-02 becomes
# 2024/01/02, 50% becomes 0.5, the price $5 becomes 5, (5) becomes -5, 1 1/2 becomes 1.5, and the formula =1+1 becomes 2.
# The apostrophe of '=1+1, which other programs write so that it is no formula, is gone: the next spreadsheet that reads
# the file calculates it.
# For whom: who converts files of machines and names with it in a script.
# Versions: Gnumeric 1.12.55 of Debian 12.
# Source: ssconvert(1).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v ssconvert >/dev/null || {
  echo 'Install gnumeric of Debian 12.' >&2
  exit 1
}
ssconvert --version 2>&1 | sed -n 1p
cat >"$dir/in.csv" <<'CSV'
12345678901234567890
3/4
2024-01-02
50%
$5
(5)
1 1/2
=1+1
'=1+1
web-1
CSV
HOME=$dir timeout 60 ssconvert "$dir/in.csv" "$dir/out.csv" >"$dir/log" 2>&1
paste -d ' ' "$dir/in.csv" <(sed 's/^/-> /' "$dir/out.csv")
seen=$(sed -E 's#^[0-9]{4}/03/04$#THIS-YEAR/03/04#' "$dir/out.csv" | tr '\n' ' ')
[[ $seen == '12345678901234567890 THIS-YEAR/03/04 2024/01/02 0.5 5 -5 1.5 2 =1+1 web-1 ' ]]
