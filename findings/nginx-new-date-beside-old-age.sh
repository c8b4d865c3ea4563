#!/usr/bin/env bash
# A response of a cache, with Date and Age, that nginx passes on.
#
# Expected: nginx passes both on, or neither: the time of the response is Date, and it is Age seconds old.
# What happens: nginx passes Age on, and replaces Date by its own time. Who adds the two (RFC 9111 §4.2.3: the response
# was correct at Date, and has aged since) is ahead by the whole age, and takes a response for twice as old as it is.
# With proxy_pass_header Date both are those of the cache.
# For whom: who has nginx before Varnish or a CDN's shield, and measures the age of data by the clock of the service.
# Versions: nginx 1.22.1 of Debian 12.
# Source: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_pass_header names the headers that it does not
# pass; https://mailman.nginx.org/pipermail/nginx/2019-May/057947.html says why Date is one.
set -euo pipefail
dir=$(mktemp -d)
running=()
trap '((${#running[@]} == 0)) || kill "${running[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT
nginx=$(PATH="$PATH:/usr/sbin" command -v nginx) || {
  echo 'Install nginx of Debian 12.' >&2
  exit 1
}
"$nginx" -v 2>&1
then=$(LC_ALL=C date -u -d '2 hours ago' '+%a, %d %b %Y %H:%M:%S GMT')
# A cache: it answers every request so.
cat >"$dir/cache.cjs" <<'JS'
const [then, port] = process.argv.slice(2);
require('node:http')
  .createServer((_, response) => response.writeHead(200, {date: then, age: '7200'}).end())
  .listen(port, '127.0.0.1');
setTimeout(() => process.exit(), 60_000);
JS
port=$((20000 + RANDOM % 12000))
node "$dir/cache.cjs" "$then" "$port" &
running+=($!)
temporary=$(printf "%s_temp_path $dir/%s; " client_body client_body proxy proxy fastcgi fastcgi uwsgi uwsgi scgi scgi)
cat >"$dir/nginx.conf" <<CONF
daemon off; pid $dir/pid; events {}
http {
  access_log off; $temporary
  server {
    listen 127.0.0.1:$((port + 1));
    location /default { proxy_pass http://127.0.0.1:$port; }
    location /passed { proxy_pass http://127.0.0.1:$port; proxy_pass_header Date; }
  }
}
CONF
timeout 60 "$nginx" -e "$dir/log" -c "$dir/nginx.conf" &
running+=($!)
for one in "$port" "$((port + 1))"; do
  until (exec 3<>"/dev/tcp/127.0.0.1/$one") 2>/dev/null; do sleep 0.1; done
done
# headers PATH: Date and Age
headers() {
  curl -q -sS --max-time 30 -i "http://127.0.0.1:$((port + 1))/$1" | tr -d '\r' | grep -iE '^(date|age):' | sort
}
echo "The cache says:"
printf 'Age: 7200\nDate: %s\n' "$then"
echo 'nginx passes on:'
headers default | tee "$dir/default"
echo 'nginx with proxy_pass_header Date passes on:'
headers passed | tee "$dir/passed"
grep -qix 'age: 7200' "$dir/default"
if grep -qF "$then" "$dir/default"; then exit 1; fi
grep -qix 'age: 7200' "$dir/passed"
grep -qF "$then" "$dir/passed"
