#!/usr/bin/env bash
# A graceful reload by signal of nginx, HAProxy and Apache, while their configuration file is empty for a moment.
#
# Expected: all three refuse the file, keep their old configuration, and say what is wrong with the new one.
# What happens: only nginx does. HAProxy (a master with workers) takes an empty file for a good one: it reports "Loading
# success", stops the old worker, and listens nowhere. Apache ends: it reads the file in the process that serves, and
# only `apachectl graceful`, not the signal, checks it first. So a script that writes the file in place (truncated
# first, then filled) and reloads twice in a row ends two of three gateways, now and then.
# For whom: who writes such a file in place while a reload may be under way: certificates that renew themselves, a
# controller with a file per change, a test. A rename puts the whole file in place.
# Versions: nginx 1.22.1, HAProxy 2.6.12 and Apache httpd 2.4.71 of Debian 12.
# Source: https://nginx.org/en/docs/control.html#reconfiguration; https://httpd.apache.org/docs/2.4/stopping.html#restart;
# HAProxy's management guide, "Stopping and restarting HAProxy".
set -euo pipefail
dir=$(mktemp -d)
chmod 755 "$dir"
running=()
trap '((${#running[@]} == 0)) || kill "${running[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT
PATH="$PATH:/usr/sbin"
for program in nginx haproxy apache2; do
  command -v "$program" >/dev/null || {
    echo "Install $program of Debian 12." >&2
    exit 1
  }
done
nginx -v 2>&1
haproxy -v | sed -n 1p
apache2 -v | sed -n 1p
port=$((20000 + RANDOM % 12000))
temporary=$(printf "%s_temp_path $dir/%s; " client_body client_body proxy proxy fastcgi fastcgi uwsgi uwsgi scgi scgi)
cat >"$dir/nginx" <<CONF
daemon off; pid $dir/nginx.pid; events {}
http { access_log off; $temporary server { listen 127.0.0.1:$port; return 204; } }
CONF
cat >"$dir/haproxy" <<CONF
defaults
  mode http
  timeout client 5s
  timeout connect 5s
  timeout server 5s
frontend one
  bind 127.0.0.1:$((port + 1))
  http-request return status 204
CONF
cat >"$dir/apache2" <<CONF
ServerRoot $dir
ServerName localhost
PidFile $dir/apache2.pid
ErrorLog $dir/apache2.log
Mutex file:$dir
Listen 127.0.0.1:$((port + 2))
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
User www-data
Group www-data
CONF

said() { until grep -q "$2" "$dir/$1.log" 2>/dev/null; do sleep 0.1; done; }
# Empties the file of a gateway that listens, and reloads it: reload NAME PORT SIGNAL PID PATTERN
reload() {
  until (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; do sleep 0.1; done
  : >"$dir/$1"
  # Again, as HAProxy does not see a signal right after its start.
  until grep -q "$5" "$dir/$1.log"; do
    kill -s "$3" "$4" 2>/dev/null || true
    sleep 0.5
  done
  echo "$1 says: $(grep "$5" "$dir/$1.log" | tail -1 | sed "s|$dir|DIR|g")"
}
is_up() { curl -q -sS --max-time 10 -o /dev/null "http://127.0.0.1:$1/" 2>/dev/null; }

nginx -e "$dir/nginx.log" -c "$dir/nginx" &
running+=($!)
reload nginx "$port" HUP $! 'no "events" section'
haproxy -db -W -f "$dir/haproxy" 2>"$dir/haproxy.log" &
running+=($!)
said haproxy 'Loading success'
reload haproxy $((port + 1)) USR2 $! 'Former worker'
sed '1,/Reloading/d' "$dir/haproxy.log" | grep 'Loading success'
apache2 -D FOREGROUND -f "$dir/apache2" &
apache=$!
running+=("$apache")
said apache2 'resuming normal operations'
reload apache2 $((port + 2)) USR1 "$apache" 'No MPM loaded'
status=0
wait "$apache" || status=$?
echo "Apache ended with $status."
for gateway in "nginx $port" "HAProxy $((port + 1))" "Apache $((port + 2))"; do
  read -r name at <<<"$gateway"
  if is_up "$at"; then echo "$name answers."; else echo "Nothing listens at the port of $name."; fi
done
is_up "$port"
if is_up $((port + 1)) || is_up $((port + 2)); then exit 1; fi
[[ $status == 1 ]]
