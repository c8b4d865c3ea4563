#!/bin/sh
# Writes the address of the repository where it is needed, once: npm run release:repository -- https://github.com/OWNER/NAME
set -eu
url=${1%/}
case $url in
  https://github.com/*/*[!/]) slug=${url#https://github.com/} ;;
  *) echo "release: $url is not an address such as https://github.com/OWNER/NAME" >&2; exit 1 ;;
esac
npm pkg set repository.type=git "repository.url=git+$url.git" "homepage=$url#readme" "bugs.url=$url/issues"
git grep -lF OWNER/NAME -- README.md SECURITY.md contrib docs | while read -r file; do
  sed "s|OWNER/NAME|$slug|g" "$file" >"$file.new"
  cat "$file.new" >"$file"
  rm "$file.new"
done
