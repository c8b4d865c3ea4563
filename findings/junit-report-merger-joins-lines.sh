#!/usr/bin/env bash
# junit-report-merger and the message of a failure that has more than one line.
#
# Expected (the guess): what a reader of XML gets from the merged file is what it gets from the files that went in.
# What happens: the lines run together. A line break in an attribute is written as `&#10;`; the merger reads it, and
# writes a bare line break, which each reader of XML has to take for a blank. Tabs are lost the same way.
# For whom: who merges reports whose messages have several lines, such as the difference of two values.
# Versions: junit-report-merger 9.0.4 of npm; xml.etree of Python 3.11 of Debian 12 reads.
# Source: https://www.w3.org/TR/xml/#AVNormalize
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" junit-report-merger@9.0.4
cat >one.xml <<'XML'
<testsuites><testsuite name="s" tests="1" failures="1"><testcase classname="a" name="one">
<failure message="expected:&#10;&#9;- web-1&#10;&#9;+ web-2"/></testcase></testsuite></testsuites>
XML
timeout 60 node node_modules/junit-report-merger/cli.js merged.xml one.xml >/dev/null
message() {
  timeout 60 /usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
print(repr(tree.parse(sys.argv[1]).find(".//failure").get("message")))' "$1"
}
echo "before: $(message one.xml)"
echo "merged: $(message merged.xml)"
[[ $(message one.xml) == "'expected:\\n\\t- web-1\\n\\t+ web-2'" ]]
[[ $(message merged.xml) == "'expected:  - web-1  + web-2'" ]]
