#!/usr/bin/env bash
# A time with a zone in YAML, read by ruamel.yaml and by PyYAML.
#
# Expected (the guess): ruamel.yaml, which began as PyYAML and is the stricter of the two, also gives a datetime with a
# zone: `2024-01-02T03:04:05Z` is in UTC.
# What happens: with typ='safe' its datetime has no zone. Times with an offset are changed to UTC first, and then lose it.
# datetime.timestamp() takes such a value for local time, hours away from what the document says, and a comparison with
# the value of PyYAML, or with datetime.now(timezone.utc), raises TypeError.
# For whom: who reads expiry dates, and runs on a machine that is not in UTC.
# Versions: ruamel.yaml 0.17.21 and PyYAML 6.0 of Debian 12.
# Source: https://yaml.org/type/timestamp.html
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
/usr/bin/python3 -c 'import ruamel.yaml, yaml; print("ruamel.yaml", ruamel.yaml.__version__, "PyYAML", yaml.__version__)' || {
  echo 'Install python3-ruamel.yaml and python3-yaml of Debian 12.' >&2
  exit 1
}
cat >"$dir/read.py" <<'PYTHON'
import ruamel.yaml
import yaml

text = "2024-07-02T12:00:00{}\n"
for zone in ("Z", "+02:00"):
    one = ruamel.yaml.YAML(typ="safe").load(text.format(zone))
    other = yaml.safe_load(text.format(zone))
    print(zone, one, one.tzinfo, int(other.timestamp() - one.timestamp()), other.tzinfo is not None)
PYTHON
seen=$(TZ=America/New_York timeout 60 /usr/bin/python3 "$dir/read.py")
echo "zone, value of ruamel.yaml, its tzinfo, seconds between both in New York, PyYAML has a zone:"
echo "$seen"
[[ $seen == 'Z 2024-07-02 12:00:00 None -14400 True
+02:00 2024-07-02 10:00:00 None -14400 True' ]]
