#!/usr/bin/env bash
# check_nrpe -3, which asks for protocol 3, at a server of the same version, and a plugin that prints 1,895 bytes.
#
# Expected (the guess): protocol 3 brought outputs of up to 64 KiB, so they arrive whole; only -2 cuts at 1,024 bytes.
# What happens: -3 cuts at 1,024 bytes too, in the middle of a line, with the plugin's exit code and no word about it.
# Without a flag, which is protocol 4, all arrives.
# For whom: who added -3 for an old server, and looks for the missing performance data, which often is at the end.
# Versions: nagios-nrpe-server and nagios-nrpe-plugin 4.1.0 of Debian 12.
# Source: changelog of NRPE, 3.0: "Added support for version 3 variable sized packets up to 64KB."
set -euo pipefail
dir=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
plugin=/usr/lib/nagios/plugins/check_nrpe
daemon=$(PATH="$PATH:/usr/sbin" command -v nrpe || true)
[[ -n $daemon && -x $plugin ]] || {
  echo 'Install nagios-nrpe-server and nagios-nrpe-plugin of Debian 12.' >&2
  exit 1
}
{ "$plugin" --version || true; } | grep Version
# NRPE refuses to run as root.
user=$(id -un) group=$(id -gn)
if ((EUID == 0)); then user=nobody group=nogroup; fi
chmod 755 "$dir"
cat >"$dir/many" <<'PLUGIN'
#!/bin/sh
echo 'FLEET OK'
seq -f 'machine %04g is online' 1 82
PLUGIN
chmod 755 "$dir/many"
port=$((20000 + RANDOM % 10000))
cat >"$dir/nrpe.cfg" <<CONFIGURATION
server_address=127.0.0.1
server_port=$port
allowed_hosts=127.0.0.1
nrpe_user=$user
nrpe_group=$group
pid_file=$dir/pid
command[many]=$dir/many
CONFIGURATION
timeout 60 "$daemon" -f -c "$dir/nrpe.cfg" 2>/dev/null &
server=$!
ask() { timeout 20 "$plugin" "$@" -H 127.0.0.1 -p "$port" -c many 2>/dev/null; }
for _ in $(seq 100); do
  if ask >/dev/null; then break; fi
  sleep 0.1
done
for flag in '' -3 -2; do
  size=$(ask ${flag:+"$flag"} | wc -c)
  echo "${flag:-no flag}: $size bytes"
  sizes="${sizes-}$size "
done
whole=$("$dir/many" | wc -c)
[[ $sizes == "$whole 1024 1024 " ]]
