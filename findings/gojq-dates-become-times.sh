#!/usr/bin/env bash
# gojq --yaml-input and a YAML value that is a date without a time.
#
# Expected (the guess): JSON has no dates, so gojq shows the text of the document, "2024-01-02", as it does with words.
# What happens: the text is another one, "2024-01-02T00:00:00Z": a time and a zone that nobody wrote. `2024-1-2` becomes
# the same, and `2001-12-14 21:59:43`, which names no zone, gets UTC. Quotes in the document avoid it.
# So a comparison with the text of the document is false, and `yaml | gojq --yaml-output` changes a file of versions or
# expiry dates without a warning. js-yaml 5 leaves all three as they are.
# For whom: who reads YAML in shell scripts.
# Versions: gojq 0.12.11 of Debian 12; js-yaml 5.5.0 of npm.
# Source: https://github.com/itchyny/gojq, README, "--yaml-input".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v gojq >/dev/null || {
  echo 'Install gojq of Debian 12.' >&2
  exit 1
}
gojq --version
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" js-yaml@5.5.0
cat >"$dir/in.yaml" <<'YAML'
- 2024-01-02
- 2024-1-2
- 2001-12-14 21:59:43
- "2024-01-02"
YAML
cat >"$dir/read.mjs" <<'JS'
import {readFileSync} from 'node:fs';
import {load} from 'js-yaml';
console.log(JSON.stringify(load(readFileSync('in.yaml', 'utf8'))));
JS
seen=$(timeout 60 gojq --yaml-input -c . "$dir/in.yaml")
other=$(cd "$dir" && timeout 60 node read.mjs)
printf 'gojq:    %s\njs-yaml: %s\n' "$seen" "$other"
[[ $seen == '["2024-01-02T00:00:00Z","2024-01-02T00:00:00Z","2001-12-14T21:59:43Z","2024-01-02"]' ]]
[[ $other == '["2024-01-02","2024-1-2","2001-12-14 21:59:43","2024-01-02"]' ]]
