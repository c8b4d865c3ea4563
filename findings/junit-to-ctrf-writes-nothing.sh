#!/usr/bin/env bash
# junit-to-ctrf and a report of JUnit without a case, as a runner writes when a filter matches nothing.
#
# Expected (the guess): a report of CTRF whose summary has 0 tests, or an error.
# What happens: "No test cases found", then "Conversion completed successfully", exit code 0, and no file. A file of an
# earlier run stays: the next step reads the results of yesterday as those of today.
# For whom: who converts in CI, and publishes the file in a later step.
# Versions: junit-to-ctrf 0.0.14 of npm.
# Source: https://github.com/ctrf-io/junit-to-ctrf, README, "--output".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" junit-to-ctrf@0.0.14
echo '<testsuites tests="1"><testsuite name="s" tests="1"><testcase classname="a" name="one"/></testsuite></testsuites>' >one.xml
echo '<testsuites tests="0"><testsuite name="s" tests="0"/></testsuites>' >none.xml
convert() { timeout 60 node node_modules/junit-to-ctrf/dist/cli.js "$1" -o ctrf.json; }
count() { node -p 'JSON.parse(fs.readFileSync("ctrf.json")).results.summary.tests'; }
said=$(convert none.xml)
echo "$said"
[[ $said == *'Conversion completed successfully'* && ! -e ctrf.json ]]
convert one.xml >/dev/null
convert none.xml >/dev/null
echo "tests in the file after a report with one and then one with none: $(count)"
[[ $(count) == 1 ]]
