#!/usr/bin/env bash
# csv-stringify with escape_formulas, which puts an apostrophe before a cell that a spreadsheet may calculate.
#
# Expected (the guess): the mark can be taken away again: a cell that already begins with an apostrophe and a sign gets a
# second one, as quotes in quotes are doubled; and csv-parse of the same project has an option for it.
# What happens: `=a` and `'=a` are written as the same cell, so a program that reads the file cannot tell them apart, and
# csv-parse gives the mark as part of the text. The text `-5` gets a mark, the number -5 none.
# For whom: who writes a list for people and programs, and reads it again.
# Versions: csv-stringify 6.9.0 and csv-parse 7.0.3 of npm.
# Source: https://csv.js.org/stringify/options/escape_formulas/
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" csv-stringify@6.9.0 csv-parse@7.0.3
cat >write.mjs <<'JS'
import {parse} from 'csv-parse/sync';
import {stringify} from 'csv-stringify/sync';
for (const value of ['=a', "'=a", '-5', -5]) {
  const text = stringify([[value]], {escape_formulas: true});
  console.log(`${JSON.stringify(value)}: ${text.trim()} and back: ${parse(text)[0][0]}`);
}
JS
seen=$(timeout 60 node write.mjs)
echo "$seen"
[[ $seen == "\"=a\": '=a and back: '=a
\"'=a\": '=a and back: '=a
\"-5\": '-5 and back: '-5
-5: -5 and back: -5" ]]
