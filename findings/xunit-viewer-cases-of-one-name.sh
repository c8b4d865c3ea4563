#!/usr/bin/env bash
# A JUnit report in which two test cases have the same classname and name: the first passed, the second failed.
#
# Expected: xunit-viewer shows and counts both, as the totals of the file and other readers (junit2json) do.
# What happens: the second takes the place of the first. The summary has one failure, nothing passed.
# For whom: who writes one case per row of a table or per machine, and names cases by what is not unique. With the two
# in the other order the failure is what vanishes, and the report is green.
# Versions: xunit-viewer 10.6.1 and junit2json 4.0.0 of npm.
# Source: https://github.com/lukejpreston/xunit-viewer, README, which does not say that names must be unique.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" xunit-viewer@10.6.1 junit2json@4.0.0
cd "$dir"
passed='<testcase classname="offline" name="edge"/>'
failed='<testcase classname="offline" name="edge"><failure message="down" type="offline"/></testcase>'
show() {
  printf '<testsuites tests="2" failures="1"><testsuite name="fleet" tests="2" failures="1">%s%s</testsuite></testsuites>' \
    "$1" "$2" >report.xml
  timeout 60 node node_modules/xunit-viewer/bin/xunit-viewer.js -r report.xml -c -o report.html | tail -n +2 | sed '/^ *$/d; /^Written/d'
}
cat >count.mjs <<'JS'
import {readFileSync} from 'node:fs';
import {parse} from 'junit2json';
const {testsuite} = await parse(readFileSync('report.xml', 'utf8'));
console.log(testsuite[0].testcase.length);
JS
echo 'passed, then failed:'
first=$(show "$passed" "$failed")
echo "$first"
echo 'failed, then passed:'
second=$(show "$failed" "$passed")
echo "$second"
echo "cases by junit2json: $(timeout 30 node count.mjs)"
[[ $(timeout 30 node count.mjs) == 2 ]]
grep -q '1 failure' <<<"$first"
if grep -q 'passed' <<<"$first"; then exit 1; fi
grep -q '1 passed' <<<"$second"
if grep -q 'failure' <<<"$second"; then exit 1; fi
