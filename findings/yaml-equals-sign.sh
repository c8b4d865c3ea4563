#!/usr/bin/env bash
# The text `=`, for instance a separator or an operator, written as YAML by one program and read by another.
#
# Expected (the guess): a writer that knows the types of YAML 1.1 puts it in quotes, and a reader that meets it without
# quotes takes it for a text.
# What happens: PyYAML and ruamel.yaml refuse the whole document, because `=` alone is a type of its own in YAML 1.1, for
# which they have no constructor. yaml of npm (also when it is told to write version 1.1), gojq and PHP write it without
# quotes. js-yaml, Psych and PyYAML's own writer quote it.
# For whom: who writes configuration for Ansible, Salt or another program in Python from Node.js, Go or PHP.
# Versions: PyYAML 6.0, ruamel.yaml 0.17.21, gojq 0.12.11, PHP's yaml 2.2.2, Psych 4.0 of Debian 12; yaml 2.9.1 and
# js-yaml 5.5.0 of npm.
# Source: https://yaml.org/type/value.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for program in gojq php8.2 ruby; do
  command -v "$program" >/dev/null || {
    echo "Install $program of Debian 12." >&2
    exit 1
  }
done
/usr/bin/python3 -c 'import ruamel.yaml, yaml; print("PyYAML", yaml.__version__, "ruamel.yaml", ruamel.yaml.__version__)'
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" yaml@2.9.1 js-yaml@5.5.0
echo '{"separator":"="}' >in.json
cat >write.mjs <<'JS'
import {readFileSync} from 'node:fs';
import {dump} from 'js-yaml';
import {stringify} from 'yaml';
const value = JSON.parse(readFileSync('in.json', 'utf8'));
const write = {yaml: stringify, 'yaml 1.1': (it) => stringify(it, {version: '1.1'}), 'js-yaml': dump};
process.stdout.write(write[process.argv[2]](value));
JS
# shellcheck disable=SC2016
written() {
  case $1 in
    gojq) gojq --yaml-output . in.json ;;
    PHP) php8.2 -r 'echo yaml_emit(json_decode(file_get_contents("in.json"), true));' ;;
    Psych) /usr/bin/ruby -ryaml -rjson -e 'puts JSON.parse(File.read("in.json")).to_yaml' ;;
    PyYAML) /usr/bin/python3 -c 'import json, yaml; print(yaml.safe_dump(json.load(open("in.json"))), end="")' ;;
    *) node write.mjs "$1" ;;
  esac
}
reads() {
  timeout 60 /usr/bin/python3 -c "$1" 2>error && return
  grep -o 'could not determine a constructor.*' error | sort -u
}
for writer in yaml 'yaml 1.1' gojq PHP js-yaml Psych PyYAML; do
  written "$writer" >out.yaml
  line=$(grep separator out.yaml)
  py=$(reads 'import yaml; print("read:", yaml.safe_load(open("out.yaml"))["separator"])')
  ruamel=$(reads 'import ruamel.yaml; print("read:", ruamel.yaml.YAML(typ="safe").load(open("out.yaml"))["separator"])')
  echo "$writer writes $line; PyYAML $py; ruamel.yaml $ruamel"
  [[ $py == "$ruamel" ]]
  case $writer in
    yaml* | gojq | PHP) [[ $line == 'separator: =' && $py == *'tag:yaml.org,2002:value'* ]] ;;
    *) [[ $line == separator:\ [\'\"]=[\'\"] && $py == 'read: =' ]] ;;
  esac
done
