#!/usr/bin/env bash
# Texts such as `12e03`, a short hash of git, that PyYAML writes and another program reads.
#
# Expected (the guess): a writer puts a text into quotes if any version of YAML takes it for a number.
# What happens: yaml.safe_dump writes 12e03, 1e5, 08, 0o7 and .1e5 without quotes, since they are texts by its own rules,
# of YAML 1.1. Readers of YAML 1.2 get numbers: the hash 12e03 is 12000, the area code 08 is 8. Psych of Ruby also writes
# 12e03 without quotes.
# About one short hash of seven digits in fifty is of this form, so a pipeline of Python and Node.js or Go fails at times.
# For whom: who hands versions, hashes or codes on in YAML.
# Versions: PyYAML 6.0, Psych 4.0 of Ruby 3.1, gojq 0.12.11 of Debian 12; js-yaml 5.5.0 and yaml 2.9.1 of npm.
# Source: https://yaml.org/spec/1.2.2/#1032-tag-resolution; https://yaml.org/type/float.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for program in gojq ruby; do
  command -v "$program" >/dev/null || {
    echo "Install $program of Debian 12." >&2
    exit 1
  }
done
/usr/bin/python3 -c 'import yaml; print("PyYAML", yaml.__version__)'
/usr/bin/ruby -rpsych -e 'puts "Psych #{Psych::VERSION}"'
gojq --version
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" yaml@2.9.1 js-yaml@5.5.0
echo '["12e03","1e5","08","0o7",".1e5"]' >texts.json
timeout 60 /usr/bin/python3 -c 'import json, yaml; print(yaml.safe_dump(json.load(open("texts.json"))), end="")' >python.yaml
timeout 60 /usr/bin/ruby -ryaml -rjson -e 'puts JSON.parse(File.read("texts.json")).to_yaml' >ruby.yaml
cat >read.mjs <<'JS'
import {readFileSync} from 'node:fs';
import {load} from 'js-yaml';
import {parse} from 'yaml';
const text = readFileSync(process.argv[2], 'utf8');
console.log(JSON.stringify(load(text)), JSON.stringify(parse(text)));
JS
tr '\n' ' ' <python.yaml
echo
for file in python ruby; do
  seen="$(timeout 60 gojq --yaml-input -c . "$file.yaml") $(timeout 60 node read.mjs "$file.yaml")"
  echo "$file, read by gojq, js-yaml and yaml: $seen"
  all="${all-}$seen; "
done
[[ $(tr '\n' ' ' <python.yaml) == '- 12e03 - 1e5 - 08 - 0o7 - .1e5 ' ]]
numbers='[12000,100000,8,7,10000]'
[[ $all == "$numbers $numbers $numbers; [12000,"* ]]
