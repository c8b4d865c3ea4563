#!/usr/bin/env bash
# CONNECT to a tinyproxy that wants a password, with none and with a wrong one.
#
# Expected: 407 Proxy Authentication Required for both (RFC 9110 §15.5.8).
# What happens: 407 without a password, but 401 with a wrong one. 401 is a service's: a client that reads it so asks for
# another password of the service, keeps the wrong one of the proxy, or takes 401 for a rule of the proxy like 403.
# For whom: who writes a client that tells the password of a proxy from that of the service, or changes a proxy's password.
# Versions: tinyproxy 1.11.1 of Debian 12.
# Source: https://github.com/tinyproxy/tinyproxy/issues/532, mended by its pull request 549.
set -euo pipefail
dir=$(mktemp -d)
proxy=
trap '[[ -z $proxy ]] || kill "$proxy" 2>/dev/null || true; rm -rf "$dir"' EXIT
command -v tinyproxy >/dev/null || {
  echo 'Install tinyproxy of Debian 12.' >&2
  exit 1
}
tinyproxy -v
port=$((20000 + RANDOM % 12000))
cat >"$dir/conf" <<CONF
Port $port
Listen 127.0.0.1
LogFile "$dir/log"
BasicAuth user right
ConnectPort 1
CONF
timeout 60 tinyproxy -d -c "$dir/conf" &
proxy=$!
# status LOGIN: that of CONNECT; nothing listens at port 1, so an accepted password gets a 5xx
status() {
  curl -q -s --retry 20 --retry-connrefused --retry-delay 1 --max-time 30 -o /dev/null -w '%{http_connect}' \
    --proxytunnel --proxy "http://${1}127.0.0.1:$port" http://127.0.0.1:1/ || true
}
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
none=$(status '') wrong=$(status 'user:wrong@') right=$(status 'user:right@')
echo "no password: $none, a wrong one: $wrong, the right one: $right"
[[ $none == 407 && $wrong == 401 && $right == 5?? ]]
