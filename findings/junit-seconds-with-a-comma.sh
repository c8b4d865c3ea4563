#!/usr/bin/env bash
# The duration of a case in a report of JUnit with a comma for thousands, which the schema of Jenkins allows for the
# reports of Maven Surefire: time="1,234.500".
#
# Expected (the guess): readers know it: 1,234.5 seconds.
# What happens: junit-to-ctrf makes 1 second of it. test-results-parser makes no number: the duration of the case, of its
# suite and of the whole run are lost. junit2json leaves a text where other cases have a number. junitparser drops the
# comma.
# So the slowest tests are the ones that seem to be the fastest, from 1,000 seconds on.
# For whom: who watches how long tests take.
# Versions: junit-to-ctrf 0.0.14, test-results-parser 0.4.6, junit2json 4.0.0 of npm; junitparser 2.8 of Debian 12.
# Source: https://github.com/jenkinsci/xunit-plugin, junit-10.xsd, SUREFIRE_TIME
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
/usr/bin/python3 -c 'import junitparser; print("junitparser", junitparser.version)' || {
  echo 'Install python3-junitparser of Debian 12.' >&2
  exit 1
}
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" \
  junit-to-ctrf@0.0.14 test-results-parser@0.4.6 junit2json@4.0.0
cat >report.xml <<'XML'
<testsuites><testsuite name="slow" tests="1" failures="0" errors="0" skipped="0" time="1,234.500">
<testcase classname="slow" name="one" time="1,234.500"/></testsuite></testsuites>
XML
cat >read.mjs <<'JS'
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {parse} from 'junit2json';
const require = createRequire(import.meta.url);
const json = await parse(readFileSync('report.xml', 'utf8'));
const {suites} = require('test-results-parser').parse({type: 'junit', files: ['report.xml']});
const {results} = JSON.parse(readFileSync('ctrf.json', 'utf8'));
console.log('junit-to-ctrf, ms:', results.tests[0].duration);
console.log('test-results-parser, ms:', suites[0].cases[0].duration, suites[0].duration);
console.log('junit2json, s:', JSON.stringify(json.testsuite[0].testcase[0].time));
JS
timeout 60 node node_modules/junit-to-ctrf/dist/cli.js report.xml -o ctrf.json >/dev/null
seen=$(timeout 60 node read.mjs)
python=$(timeout 60 /usr/bin/python3 -c '
import junitparser
print("junitparser, s:", [case.time for suite in junitparser.JUnitXml.fromfile("report.xml") for case in suite][0])')
printf '%s\n%s\n' "$seen" "$python"
[[ $seen == 'junit-to-ctrf, ms: 1000
test-results-parser, ms: '*' '*'
junit2json, s: "1,234.500"' && $seen != *1234500* ]]
[[ $python == 'junitparser, s: 1234.5' ]]
