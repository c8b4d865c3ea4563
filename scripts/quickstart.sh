#!/bin/sh
# The main job from end to end, as a user would type it: a service, then each command, and a connector that goes
# offline and comes back. The service is a sandbox, so that no step has to wait ten minutes. Stops everything it starts,
# removes its files, and fails if anything fails.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
directory=$(mktemp -d)
service=
monitor=
clean_up() {
  status=$?
  trap - EXIT
  for process in $monitor $service; do
    kill "$process" 2>/dev/null || continue
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$directory"
  [ "$status" = 0 ] || echo "quickstart failed." >&2
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The user's settings must not affect the demonstration, and all that it writes is in the directory.
for name in $(env | sed -En 's/^((CONNECTORCTL|XDG)_[A-Z_]*)=.*/\1/p'); do unset "$name"; done
export HOME="$directory" TMPDIR="$directory"

connectorctl() {
  node "$root/bin/run.js" "$@"
}

# Explains a step and shows the command.
show() {
  printf '\n# %s\n$ %s\n' "$1" "$2"
}

# Explains a step, shows the command, and runs it.
run() {
  show "$1" "$2"
  eval "$2"
}

# Waits until a process writes a line to a file, and shows it.
until_line() {
  while ! grep -s "$1" "$2"; do
    kill -0 "$3"
    sleep 0.1
  done
}

printf 'Building (about 15 s) …'
(cd "$root" && node --import tsx scripts/build.ts >/dev/null)
echo ' done.'
cd "$directory"

show 'Start a sandbox: the service, with a virtual clock. It prints its URL.' \
  'connectorctl serve --sandbox --port 0 2> serve.log &'
node "$root/bin/run.js" serve --sandbox --port 0 >url 2>serve.log &
service=$!
until_line '^http' url "$service"
until_line '^export CONNECTORCTL_API_KEY=' serve.log "$service" >/dev/null
run 'The commands below use this service, with the two lines that it wrote.' \
  'eval "$(grep ^export serve.log)"'

run 'Create an activation token, which works once, and exchange it for a connector and its own key.' \
  'connectorctl token create | connectorctl connector activate --name web-1 --token-file - --credentials-file web-1.json'
heartbeat='connectorctl connector heartbeat --credentials-file web-1.json'
run 'Send its first heartbeat, with its own key.' "$heartbeat"
run 'Read it, with the key of the organization.' \
  "connectorctl connector get $(connectorctl connector list -o id)"
show 'Tell when it stops and when it returns, from now on.' \
  'connectorctl connector monitor --initial --every 1s --for 0s &'
node "$root/bin/run.js" connector monitor --initial --every 1s --for 0s >events &
monitor=$!
run 'Let ten minutes pass without a heartbeat.' 'connectorctl sandbox advance 10m'
until_line 'began: web-1' events "$monitor"
run 'Send a heartbeat again.' "$heartbeat"
until_line 'ended: web-1' events "$monitor"

echo '
Everything works, and nothing but the build is left behind. To continue by hand:

  npm start                      # in one terminal; it prints two export lines
  node bin/run.js token create   # in another, after pasting them
  node bin/run.js --help'
