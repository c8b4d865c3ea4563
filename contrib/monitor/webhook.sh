#!/bin/sh
# For connector monitor --exec: posts the events as one message to a webhook that takes {"text": …}, as those of
# Slack, Mattermost and Rocket.Chat do. Needs curl and jq. WEBHOOK_URL is a secret: set it in the environment.
set -eu
jq '{text: ([.events[] | "\(.change): \(.check) \(.subject)"] | .[:50] + (.[50:] | if . == [] then [] else ["… \(length) more"] end) | join("\n"))}' |
  curl -fsS --max-time 20 -H 'Content-Type: application/json' --data-binary @- "${WEBHOOK_URL:?}" >&2
