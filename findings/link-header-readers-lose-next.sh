#!/usr/bin/env bash
# Readers of the Link header lose `rel="next"`, and a client takes the first page for the whole list.
#
# Expected (the guess): parse-link-header, li and http-link-header find the next page as RFC 8288 says: also with
# `Rel` or `REL`, with a second `rel` behind the first, and with a space before the comma between two links.
# What happens: parse-link-header and li see only `rel` in lower case, and take the last of two `rel`, so `next` is gone.
# http-link-header knows both, but reads a link behind a space and a comma as a parameter of the link before it. None of
# them fails: the result is a header without a next page.
# Versions: parse-link-header 2.0.0, li 1.3.0, http-link-header 1.1.4, Node.js 20.19 or later.
# For: whoever pages through lists by Link, and whoever writes that header.
# Source: RFC 8288, section 3 (names of parameters are case-insensitive; the grammar allows white space around commas)
# and section 3.3 (parsers ignore each `rel` after the first)
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
echo '{"private": true}' >package.json
timeout 300 npm install --prefix "$directory" --no-audit --no-fund --ignore-scripts --silent \
  parse-link-header@2.0.0 li@1.3.0 http-link-header@1.1.4

cat >read.cjs <<'JS'
const parse = require('parse-link-header');
const li = require('li');
const LinkHeader = require('http-link-header');

const readers = {
  'parse-link-header': (header) => parse(header)?.next?.url,
  li: (header) => li.parse(header).next,
  'http-link-header': (header) => LinkHeader.parse(header).rel('next')[0]?.uri,
};
const headers = {
  'as usual': '<https://x.example/?page=2>; rel="next"',
  'in capitals': '<https://x.example/?page=2>; REL="next"',
  'a second rel': '<https://x.example/?page=2>; rel="next"; rel="prev"',
  'a space first': '<https://x.example/?page=1>; rel="first" , <https://x.example/?page=2>; rel="next"',
};
for (const [title, header] of Object.entries(headers)) {
  const found = Object.entries(readers).map(([name, read]) => `${name} ${read(header) ? 'yes' : 'no'}`);
  console.log(`${title}: ${found.join(', ')}`);
}
JS

for package in parse-link-header li http-link-header; do
  echo "$package $(node -p "JSON.parse(fs.readFileSync('node_modules/$package/package.json')).version")"
done
seen=$(timeout 60 node read.cjs)
echo "$seen"
[ "$seen" = 'as usual: parse-link-header yes, li yes, http-link-header yes
in capitals: parse-link-header no, li no, http-link-header yes
a second rel: parse-link-header no, li no, http-link-header yes
a space first: parse-link-header yes, li yes, http-link-header no' ]
echo 'as described'
