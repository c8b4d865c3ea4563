#!/usr/bin/env bash
# Nagios 4 and a plugin that prints far more than the limit of the documentation.
#
# Expected (the guess): Nagios cuts the output of a plugin at 8 KiB; its documentation says 4 KB, and names the constant
# MAX_PLUGIN_OUTPUT_LENGTH, which nagios.h of Nagios 4 sets to 8192.
# What happens: all 118,007 bytes of the long output reach a command, by $LONGSERVICEOUTPUT$, with their last line.
# For whom: who cuts the text of a plugin for Nagios, and loses names of machines for nothing; and who counts on the limit
# to keep macros, mails and status files small.
# Versions: Nagios Core 4.4.6 of Debian 12 (nagios4-core).
# Source: Nagios Core documentation, "Nagios Plugin API", "Plugin Output Length Restrictions".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
program=$(PATH="$PATH:/usr/sbin" command -v nagios4) || {
  echo 'Install nagios4-core of Debian 12.' >&2
  exit 1
}
"$program" --version | sed -n '/Nagios Core/{p;q}'
mkdir "$dir/objects" "$dir/results"
cat >"$dir/plugin" <<'PLUGIN'
#!/bin/sh
echo 'FLEET CRITICAL - 2000 machines are down | down=2000'
seq -f 'machine %04g is offline and has not been seen for a while' 0 1999
echo 'the end'
exit 2
PLUGIN
# Writes whole files only, since it runs at each check.
cat >"$dir/tell" <<TELL
#!/bin/sh
printf '%s' "\$1" >"$dir/told.\$\$" && mv "$dir/told.\$\$" "$dir/told"
TELL
chmod +x "$dir/plugin" "$dir/tell"
cat >"$dir/objects/all.cfg" <<CONFIGURATION
define timeperiod {
  timeperiod_name always
  alias always
$(printf '  %s 00:00-24:00\n' sunday monday tuesday wednesday thursday friday saturday)
}
define command {
  command_name plugin
  command_line $dir/plugin
}
define command {
  command_name nothing
  command_line /bin/true
}
define command {
  command_name tell
  command_line $dir/tell "\$LONGSERVICEOUTPUT\$"
}
define contact {
  contact_name nobody
  host_notifications_enabled 0
  service_notifications_enabled 0
  host_notification_period always
  service_notification_period always
  host_notification_commands nothing
  service_notification_commands nothing
}
define host {
  host_name here
  address 127.0.0.1
  check_command nothing
  max_check_attempts 1
  check_period always
  notification_period always
  contacts nobody
}
define service {
  host_name here
  service_description fleet
  check_command plugin
  max_check_attempts 1
  check_interval 0.05
  retry_interval 0.05
  check_period always
  notification_period always
  contacts nobody
}
CONFIGURATION
cat >"$dir/nagios.cfg" <<CONFIGURATION
cfg_dir=$dir/objects
log_file=$dir/log
lock_file=$dir/lock
object_cache_file=$dir/objects.cache
status_file=$dir/status
state_retention_file=$dir/retention
temp_file=$dir/temporary
temp_path=$dir
check_result_path=$dir/results
command_file=$dir/command
query_socket=$dir/query
check_external_commands=0
log_archive_path=$dir
nagios_user=$(id -un)
nagios_group=$(id -gn)
use_syslog=0
check_for_updates=0
process_performance_data=1
service_perfdata_command=tell
CONFIGURATION
timeout 60 "$program" "$dir/nagios.cfg" >"$dir/out" 2>&1 &
nagios=$!
trap 'kill "$nagios" 2>/dev/null || true; wait "$nagios" 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 300); do
  if [[ -e $dir/told ]]; then break; fi
  sleep 0.1
done
size=$(wc -c <"$dir/told")
end=$(tail -c 7 "$dir/told")
echo "The command got $size bytes of long output, which end with: $end"
((size == 118007))
[[ $end == 'the end' ]]
