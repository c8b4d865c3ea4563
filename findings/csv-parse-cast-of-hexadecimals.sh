#!/usr/bin/env bash
# csv-parse with `cast: true`, which makes numbers of texts that look like numbers, and a hexadecimal number.
#
# Expected (the guess): 0x1f is 31, as Number('0x1f') is, or stays a text, as 12abc does.
# What happens: it is 0, and so are 0x2a, 0b11 and 0o17: whether a text is a number is decided by one rule of JavaScript,
# and its value is taken by another (parseFloat), which stops at the x. -0x1f stays a text.
# So all addresses, colors or ids of this form become the same number, without an error.
# For whom: who reads lists of devices or registers, and joins them by such a column.
# Versions: csv-parse 7.0.3 of npm.
# Source: https://csv.js.org/parse/options/cast/
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" csv-parse@7.0.3
cat >read.mjs <<'JS'
import {parse} from 'csv-parse/sync';
const text = '0x1f,0x2a,0b11,0o17,-0x1f,12abc,1e5,31';
console.log(text);
console.log(JSON.stringify(parse(text, {cast: true})[0]));
JS
seen=$(timeout 60 node read.mjs)
echo "$seen"
[[ ${seen##*$'\n'} == '[0,0,0,0,"-0x1f","12abc",100000,31]' ]]
