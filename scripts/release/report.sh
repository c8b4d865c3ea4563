#!/bin/sh
# Says on the page of a run what was published, and what is missing for the rest: report.sh TAG|trial
# PUBLISHED_RELEASE, PUBLISHED_NPM and PUBLISHED_IMAGE are "true" for what was published.
set -eu

line() {
  if [ "$2" = true ]; then
    echo "- $1: published"
  else
    echo "- $1: **not published**. $3"
  fi
}

echo "## Release: $1"
echo
if [ "$1" = trial ]; then
  echo 'A trial: the artifacts are in this run, with addresses of no repository. Push a tag to publish.'
  exit 0
fi
line 'GitHub release' "${PUBLISHED_RELEASE:-}" 'The artifacts are in this run.'
line 'npm' "${PUBLISHED_NPM:-}" \
  'Add this workflow to the trusted publishers of the package, then set the variable PUBLISH_NPM to true.'
line 'container image' "${PUBLISHED_IMAGE:-}" 'It was built. Set the variable PUBLISH_IMAGE to true.'
line 'Homebrew' false 'Copy connectorctl.rb to Formula/ of a tap.'
line 'deb and rpm' false 'They are files of the GitHub release; no repository of packages has them.'
