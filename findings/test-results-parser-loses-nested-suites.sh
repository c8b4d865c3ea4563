#!/usr/bin/env bash
# test-results-parser, which reads reports of JUnit to send them to a chat, and a suite inside a suite.
#
# Expected (the guess): it finds the cases at any depth, as junit-to-ctrf does, or says that it does not.
# What happens: the inner suite is gone with its cases. The totals still are those that the file states, so the summary
# says one failure, and no case of the result failed: the message names nothing. Without the optional attributes of the
# totals, passed and failed are NaN. And `total` leaves out what was skipped, while `passed` and `skipped` do not.
# For whom: who reports suites of suites, which the schema of Jenkins (junit-10.xsd of its xunit-plugin) allows, to people.
# Versions: test-results-parser 0.4.6 and junit-to-ctrf 0.0.14 of npm.
# Source: https://github.com/test-results-reporter/parser
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" test-results-parser@0.4.6 junit-to-ctrf@0.0.14
report() {
  cat <<XML
<testsuites $1 name="all"><testsuite name="outer" $1>
<testsuite name="inner"><testcase classname="a" name="one"/><testcase classname="a" name="two"><failure message="x"/></testcase></testsuite>
<testcase classname="b" name="three"/><testcase classname="b" name="four"><skipped/></testcase>
</testsuite></testsuites>
XML
}
cat >read.cjs <<'JS'
const {parse} = require('test-results-parser');
const {total, passed, failed, skipped, suites} = parse({type: 'junit', files: [process.argv[2]]});
const cases = suites.flatMap((suite) => suite.cases.map(({name, status}) => `${name} ${status}`));
console.log(`total ${total}, passed ${passed}, failed ${failed}, skipped ${skipped}: ${cases.join(', ')}`);
JS
report 'tests="4" failures="1" errors="0" skipped="1"' >stated.xml
report '' >plain.xml
stated=$(timeout 60 node read.cjs stated.xml)
plain=$(timeout 60 node read.cjs plain.xml)
timeout 60 node node_modules/junit-to-ctrf/dist/cli.js stated.xml -o ctrf.json >/dev/null
# shellcheck disable=SC2016
other=$(node -p 'const {tests, passed, failed, skipped} = JSON.parse(fs.readFileSync("ctrf.json")).results.summary; `tests ${tests}, passed ${passed}, failed ${failed}, skipped ${skipped}`')
printf 'with totals:    %s\nwithout totals: %s\njunit-to-ctrf:  %s\n' "$stated" "$plain" "$other"
[[ $stated == 'total 3, passed 2, failed 1, skipped 1: three PASS, four SKIP' ]]
[[ $plain == *NaN*': three PASS, four SKIP' ]]
[[ $other == 'tests 4, passed 2, failed 1, skipped 1' ]]
