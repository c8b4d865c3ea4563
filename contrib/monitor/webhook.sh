#!/bin/sh
# For connector monitor --exec: posts the events as one message to a webhook that takes {"text": …}, as those of
# Slack, Mattermost and Rocket.Chat do. Needs curl and jq. WEBHOOK_URL is a secret: set it in the environment.
# A name cannot mention anyone, link, or add a line. A jq that fails must not look like a delivered message.
set -eu
body=$(jq '{text: ([.headline, (.events[] | "\(.change): \(.message)")
    | gsub("[[:cntrl:]]"; " ") | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("@"; "@\u200b")]
  | .[:51] + (.[51:] | if . == [] then [] else ["… \(length) more"] end) | join("\n"))}')
printf '%s\n' "$body" |
  curl -fsS --max-time 20 -H 'Content-Type: application/json' --data-binary @- "${WEBHOOK_URL:?}" >&2
