#!/usr/bin/env bash
# webdis: an argument that is no readable file, such as --help, is an error message, and then a server with the defaults.
#
# Expected (the guess): `webdis --help` prints how to use it and ends; with a settings file that does not exist it ends with
# an error, as redis-server does.
# What happens: every first argument is the path of the settings. If it cannot be opened, webdis says so, and then serves
# with its defaults: port 7379 of all addresses, and the Redis at 127.0.0.1:6379. It also makes webdis.log in the working
# directory. A probe for its version never ends, and a mistyped path serves another Redis at another address.
# Versions: webdis 0.1.9 of Debian 12.
# For: scripts that look whether webdis is installed, and units and images that name its settings file.
# Source: the manual webdis(1) of the package, whose only argument is the file.
set -euo pipefail

version=$(dpkg-query -W -f '${Version}' webdis)
echo "webdis $version"
[[ $version == 0.1.9* ]]

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
# In a network of its own, because webdis listens at all addresses.
# shellcheck disable=SC2016
timeout 60 unshare -rn bash -c '
  ip link set lo up
  for argument in --help missing.json; do
    timeout 20 webdis "$argument" 2>>said &
    until [ -n "$(ss -Hltn)" ]; do sleep 0.2; done
    echo "webdis $argument: listens at $(ss -Hltn | awk "{print \$4}")"
    kill $!
    wait $! || true
  done' | tee listens
cat said
ls -- *.log
[[ $(grep -c 'listens at 0\.0\.0\.0:7379' listens) == 2 ]]
[[ $(grep -c 'unable to open' said) == 2 && -e webdis.log ]]
