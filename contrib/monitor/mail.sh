#!/bin/sh
# For connector monitor --exec: sends the events as one mail. Needs jq and a program `mail` (bsd-mailx, mailutils).
# MAIL_TO is the address. The subject is the headline, without names: what a connector sent is in the body.
# A jq that fails must not look like a sent mail.
set -eu
input=$(cat)
text() { printf '%s\n' "$input" | jq -r "$1 | gsub(\"[[:cntrl:]]\"; \" \")"; }
subject=$(text .headline)
body=$(text '.events[] | "\(.at)  \(.change): \(.message)"')
printf '%s\n' "$body" | mail -s "$subject" "${MAIL_TO:?}"
