#!/bin/sh
# Writes the state of the fleet for the textfile collector of the node exporter, for instance every five
# minutes by cron; see docs/check.md:
#   */5 * * * * prometheus /usr/local/bin/textfile.sh /var/lib/node_exporter/textfile --max-offline 5%
# The file is replaced as a whole. A check that could not be carried out is written too: its
# connectorctl_check_success is 0.
set -u
directory=$1
shift
file=$directory/connectorctl.prom
connectorctl connector check -o prometheus "$@" >"$file.$$"
code=$?
if [ -s "$file.$$" ]; then
  mv "$file.$$" "$file"
else
  rm -f "$file.$$"
fi
# 9: a rule does not hold. The metrics say so; cron need not send mail about it.
[ "$code" -eq 9 ] && exit 0
exit "$code"
