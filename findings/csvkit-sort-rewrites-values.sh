#!/usr/bin/env bash
# csvsort of csvkit, which sorts the lines of a CSV file by one column.
#
# Expected (the guess): the other columns come out as they went in, or at most numbers in another form (007 as 7).
# What happens: each column whose cells all look alike is rewritten: `1h` and `5m` become 1:00:00 and 0:05:00, the
# versions 12:30 and 1:05 become times, 1 and 0 become True and False, and the texts none, n/a and null become empty, so
# that three lines lose what told them apart. `-I` (--no-inference) keeps the types, but still empties none and null;
# only `-I --blanks` leaves the cells alone.
# For whom: who sorts an inventory before `diff` or `join`, with names that people chose.
# Versions: csvkit 1.0.7 of Debian 12.
# Source: https://csvkit.readthedocs.io/en/1.0.7/scripts/csvsort.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v csvsort >/dev/null || {
  echo 'Install csvkit of Debian 12.' >&2
  exit 1
}
csvsort --version
cat >"$dir/in.csv" <<'CSV'
name,keep,slot,primary,group,rack
b,1h,12:30,1,none,none
a,5m,1:05,0,n/a,7
c,2d,2:10,0,null,8
CSV
echo 'before:'
cat "$dir/in.csv"
echo 'sorted by name:'
seen=$(cd "$dir" && timeout 60 csvsort -c name in.csv)
echo "$seen"
types=$(cd "$dir" && timeout 60 csvsort -I -c name in.csv)
printf 'with -I:\n%s\n' "$types"
plain=$(cd "$dir" && timeout 60 csvsort -I --blanks -c name in.csv)
[[ $seen == 'name,keep,slot,primary,group,rack
a,0:05:00,0:01:05,False,,7
b,1:00:00,0:12:30,True,,
c,"2 days, 0:00:00",0:02:10,False,,8' ]]
[[ $types == 'name,keep,slot,primary,group,rack
a,5m,1:05,0,,7
b,1h,12:30,1,,
c,2d,2:10,0,,8' ]]
[[ $plain == "$(sed -n 1p "$dir/in.csv")
$(sed -n 3p "$dir/in.csv")
$(sed -n 2p "$dir/in.csv")
$(sed -n 4p "$dir/in.csv")" ]]
