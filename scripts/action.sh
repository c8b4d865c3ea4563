#!/bin/sh
# The step of action.yml: installs the release of this version, or builds it here if there is none, and puts it on the
# PATH of the job. What is damaged is never replaced by a build.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
prefix=${RUNNER_TEMP:?}/connectorctl

own=$(sed -n 's|^  "version": "\(.*\)",$|\1|p' "$here/package.json")
repository=$(sed -n 's|^    "url": "git+\(.*\)\.git",\{0,1\}$|\1|p' "$here/package.json")
version=${INPUT_VERSION:-$own}
version=${version#v}

build() {
  if [ "$version" != "$own" ]; then
    echo "There is no release $version. Use this action at the tag or commit to build." >&2
    exit 1
  fi
  echo "Building connectorctl $own: $1." >&2
  packed=$(mktemp -d)
  trap 'rm -rf "$packed"' EXIT
  (cd "$here" && npm ci && npm pack --pack-destination "$packed") >&2
  npm install --global --prefix "$prefix" "$packed/connectorctl-$own.tgz" >&2
}

if [ -z "$repository" ]; then
  build 'its package.json names no repository with releases'
else
  outcome=0
  sh "$here/install.sh" --repository "$repository" --version "$version" --dir "$prefix/bin" || outcome=$?
  case $outcome in
    0) ;;
    3) build "there is no release of it" ;;
    *) exit "$outcome" ;;
  esac
fi

shown=$("$prefix/bin/connectorctl" --version)
echo "$prefix/bin" >>"${GITHUB_PATH:?}"
echo "version=$version" >>"${GITHUB_OUTPUT:?}"
echo "$shown"
