#!/bin/sh
# Drives a sandbox with curl alone: what a client in any language can do.
#
#   connectorctl serve --sandbox --seed 7
#   sh drive.sh http://127.0.0.1:4480
set -eu

url=${1:-http://127.0.0.1:4480}

# The control routes need no key.
control() { # METHOD ROUTE [BODY]
  curl --silent --show-error --fail -X "$1" "$url/_sandbox/$2" ${3:+-d "$3"}
}
# A string field of a JSON object on one line.
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
expect() { # WHAT EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    echo "$1: expected $2, got $3" >&2
    exit 1
  fi
  echo "$1: $3"
}

key=$(control POST keys | field api_key)
call() { curl --silent --max-time 10 -H "Authorization: Bearer $key" "$@"; }
status() { call -o /dev/null -w '%{http_code}' "$@"; }
connectors=$url/api/connectors

control POST reset >/dev/null

# Expiry, staleness and recovery, without waiting.
token=$(call -X POST "$connectors/create-token" | field token)
id=$(call "$connectors/activate" -d "{\"token\":\"$token\",\"name\":\"web-1\"}" | field id)
expect 'a new connector' never "$(call "$connectors/$id" | field status)"
call -X POST "$connectors/$id/heartbeat" >/dev/null
expect 'after a heartbeat' online "$(call "$connectors/$id" | field status)"
control POST advance '{"seconds": 300}' >/dev/null
expect 'five minutes later' stale "$(call "$connectors/$id" | field status)"
control POST advance '{"seconds": 600}' >/dev/null
expect 'ten minutes later' offline "$(call "$connectors/$id" | field status)"
call -X POST "$connectors/$id/heartbeat" >/dev/null
expect 'after the next heartbeat' online "$(call "$connectors/$id" | field status)"

# Each outcome of an activation: a new token, the same again, an expired one, and text that is none.
activation() { status "$connectors/activate" -d "{\"token\":\"$1\",\"name\":\"web-2\"}"; }
token=$(call -X POST "$connectors/create-token" | field token)
late=$(call -X POST "$connectors/create-token" | field token)
expect 'an activation with a new token' 201 "$(activation "$token")"
expect 'an activation with a used token' 409 "$(activation "$token")"
control POST advance '{"seconds": 901}' >/dev/null
expect 'an activation with an expired token' 410 "$(activation "$late")"
expect 'an activation with a malformed token' 400 "$(activation act_1)"

# Connectors in any mix of states.
control POST fleet '{"count": 50, "offline": 3, "never": 2}' >/dev/null
# The recovered connector is offline too, since its last advance; web-2 has sent no heartbeat either.
expect 'connectors that are offline' 4 \
  "$(call "$connectors" | tr '}' '\n' | grep -c '"status":"offline"')"
expect 'connectors that sent no heartbeat' 3 \
  "$(call "$connectors" | tr '}' '\n' | grep -c '"status":"never"')"

# Faults: a status, and a response that is lost.
control POST faults '{"spec": "list:503,retry-after=30s@1x"}' >/dev/null
expect 'the list with a fault' 503 "$(status "$connectors")"
expect 'the list after it' 200 "$(status "$connectors")"
control POST faults '{"spec": "activate:drop-response@1x"}' >/dev/null
token=$(call -X POST "$connectors/create-token" | field token)
body="{\"token\":\"$token\",\"name\":\"web-3\"}"
again="Idempotency-Key: drive-$id"
expect 'an activation whose response is lost' 000 \
  "$(status "$connectors/activate" -H "$again" -d "$body" || true)"
expect 'the same again, with the same Idempotency-Key' 201 \
  "$(status "$connectors/activate" -H "$again" -d "$body")"
expect 'connectors of that name' 1 "$(call "$connectors" | tr '}' '\n' | grep -c '"web-3"')"
control DELETE faults >/dev/null

expect 'the sandbox' 200 "$(status "$url/_sandbox/status")"

echo 'All of it was as expected.'
