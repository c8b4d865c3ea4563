#!/bin/sh
# For connector monitor --exec: sends the events as one mail. Needs jq and a program `mail` (bsd-mailx, mailutils).
# MAIL_TO is the address. The subject has numbers only: what a connector sent is in the body.
# A jq that fails must not look like a sent mail.
set -eu
body=$(jq -r '"Service: \(.service)", "",
  (.events[] | "\(.at)  \(.change)  \(.check)  \(.message)" | gsub("[[:cntrl:]]"; " "))')
printf '%s\n' "$body" |
  mail -s "connectors: $CONNECTORCTL_BEGAN began, $CONNECTORCTL_ENDED ended, $CONNECTORCTL_PROBLEMS open" "${MAIL_TO:?}"
