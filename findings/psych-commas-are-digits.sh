#!/usr/bin/env bash
# A plain text with a comma, such as `1,2`, in YAML that Ruby reads.
#
# Expected (the guess): a text, as in YAML 1.1, whose numbers may have underscores but no commas, and as in Python.
# What happens: Psych drops the commas: `1,2` is the number 12, `1,000` is 1000, and `1,5` meant as one and a half is 15.
# `1,2,3` and `10,20` are numbers too, but `80,443,x` is a text. YAML of PHP does the same with one comma.
# For whom: who writes lists of ports or CPUs (`cpus: 0,1`), or numbers with a decimal comma, without quotes.
# Versions: Psych 4.0 of Ruby 3.1 of Debian 12; PyYAML 6.0 for comparison.
# Source: https://yaml.org/type/int.html and https://yaml.org/type/float.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for program in /usr/bin/ruby /usr/bin/python3; do
  [[ -x $program ]] || {
    echo "Install $program of Debian 12." >&2
    exit 1
  }
done
/usr/bin/ruby -rpsych -e 'puts "Ruby #{RUBY_VERSION}, Psych #{Psych::VERSION}"'
/usr/bin/python3 -c 'import yaml; print("PyYAML", yaml.__version__)'
printf 'cpus: 0,1\nratio: 1,5\nports: 80,443\nmany: 1,2,3\nother: 80,443,x\n' >"$dir/in.yaml"
ruby=$(timeout 60 /usr/bin/ruby -ryaml -rjson -e 'puts JSON.generate(YAML.safe_load(File.read(ARGV[0])))' "$dir/in.yaml")
python=$(timeout 60 /usr/bin/python3 -c '
import json, sys, yaml
print(json.dumps(yaml.safe_load(open(sys.argv[1])), separators=(",", ":")))' "$dir/in.yaml")
printf 'Psych:  %s\nPyYAML: %s\n' "$ruby" "$python"
[[ $python == '{"cpus":"0,1","ratio":"1,5","ports":"80,443","many":"1,2,3","other":"80,443,x"}' ]]
[[ $ruby == '{"cpus":1,"ratio":15,"ports":80443,"many":123,"other":"80,443,x"}' ]]
