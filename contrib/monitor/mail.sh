#!/bin/sh
# For connector monitor --exec: sends the events as one mail. Needs jq and a program `mail` (bsd-mailx, mailutils).
# MAIL_TO is the address. The subject has numbers only: what a connector sent is in the body.
set -eu
jq -r '"Service: \(.service)", "", (.events[] | "\(.at)  \(.change)  \(.check)  \(.message)")' |
  mail -s "connectors: $CONNECTORCTL_BEGAN began, $CONNECTORCTL_ENDED ended, $CONNECTORCTL_PROBLEMS open" "${MAIL_TO:?}"
