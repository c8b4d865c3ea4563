#!/usr/bin/env bash
# JSON with a number such as 1e21, read by readers of YAML, of which JSON is said to be a part.
#
# Expected (the guess): the number, in Python, Ruby and PHP.
# What happens: all three give the text "1e+21", because a number of YAML 1.1 needs a point before the exponent. This is
# what JSON.stringify of JavaScript writes from 1e21 on and below 1e-6, and json.dumps of Python from 1e16 on; most
# numbers of the same field are numbers, so the mistake is seen late, for instance in a sum.
# For whom: who reads "YAML or JSON" by one YAML reader, as many tools do with their configuration and their input.
# Versions: PyYAML 6.0, Psych 4.0 of Ruby 3.1, yaml 2.2.2 of PHP 8.2 of Debian 12; Node.js writes.
# Source: https://yaml.org/spec/1.2.0/, "Relation to JSON"; https://yaml.org/type/float.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for program in ruby php8.2 node; do
  command -v "$program" >/dev/null || {
    echo "Install $program." >&2
    exit 1
  }
done
cd "$dir"
/usr/bin/python3 -c 'import yaml; print("PyYAML", yaml.__version__)'
/usr/bin/ruby -rpsych -e 'puts "Psych #{Psych::VERSION}"'
php8.2 -r 'echo "yaml of PHP ", phpversion("yaml"), "\n";'
node -e 'console.log(JSON.stringify({small: 1e-7, middle: 0.5, large: 1e21}))' >in.json
/usr/bin/python3 -c 'import json; print(json.dumps(1e16))' >python.json
cat in.json python.json
python=$(timeout 60 /usr/bin/python3 -c 'import yaml; print([type(x).__name__ for x in yaml.safe_load(open("in.json")).values()], type(yaml.safe_load(open("python.json"))).__name__)')
ruby=$(timeout 60 /usr/bin/ruby -ryaml -e 'puts YAML.safe_load(File.read("in.json")).values.map(&:class).join(" ")')
# shellcheck disable=SC2016
php=$(timeout 60 php8.2 -r 'echo implode(" ", array_map("gettype", yaml_parse_file("in.json")));')
printf 'PyYAML: %s\nPsych: %s\nPHP: %s\n' "$python" "$ruby" "$php"
[[ $python == "['str', 'float', 'str'] str" && $ruby == 'String Float String' && $php == 'string double string' ]]
