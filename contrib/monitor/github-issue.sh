#!/bin/sh
# For connector monitor --exec in a workflow: opens an issue when the first problem begins, comments on it while there
# are problems, and closes it when the last one has ended. Needs gh with GH_TOKEN, and jq. What a connector sent is
# code, so that it cannot mention anyone, link, or show an image.
set -eu
title='Connectors need attention'
body=$(jq -r '[.events[] | "- \(.at) **\(.change)** `\(.message | gsub("`"; "") | gsub("[[:cntrl:]]"; " "))`"]
  | join("\n") | .[:60000]')
number=$(gh issue list --state open --search "in:title \"$title\"" --json number --jq '.[0].number // empty')
if [ -z "$number" ]; then
  [ "$CONNECTORCTL_PROBLEMS" -eq 0 ] || printf '%s\n' "$body" | gh issue create --title "$title" --body-file -
elif [ "$CONNECTORCTL_PROBLEMS" -eq 0 ]; then
  printf '%s\n' "$body" | gh issue comment "$number" --body-file -
  gh issue close "$number"
else
  printf '%s\n' "$body" | gh issue comment "$number" --body-file -
fi
