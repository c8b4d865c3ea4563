#!/usr/bin/env bash
# ansible-inventory --list with a group behind it.
#
# Expected (the guess): the hosts of that group alone, as --graph GROUP shows it; or with a misspelled group an error, as
# --graph has one.
# What happens: --list ignores the group without a word, also one that does not exist, prints every host, and exits 0.
# There is no --limit either. What filters is the reader: jq '.web.hosts'.
# For whom: who makes the list of machines to expect, or to change, out of one group.
# Versions: ansible-core 2.14.18 of Debian 12.
# Source: ansible-inventory --help, whose usage has [host|group] behind all actions; only --graph says that it reads it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v ansible-inventory >/dev/null || {
  echo 'Install ansible-core of Debian 12.' >&2
  exit 1
}
printf '[web]\nweb-1\n[db]\ndb-1\n' >"$dir/hosts"
ansible() { HOME=$dir timeout 60 ansible-inventory -i "$dir/hosts" "$@" 2>&1 && echo 'exit 0' || echo "exit $?"; }
ansible --version | sed -n 1p
seen=''
for words in '--graph web' '--graph nobody' '--list web' '--list nobody' '--list --limit web'; do
  # shellcheck disable=SC2086 # two or three words
  output=$(ansible $words)
  hosts=$(grep -oE '(web|db)-1' <<<"$output" | sort -u | tr '\n' ' ' || true)
  echo "$words: ${hosts:-no host, }${output##*$'\n'}"
  seen+="${hosts:-none }${output##*$'\n'}; "
done
[[ $seen == 'web-1 exit 0; none exit 5; db-1 web-1 exit 0; db-1 web-1 exit 0; none exit 2; ' ]]
