#!/usr/bin/env bash
# The extension yaml of PHP and an integer that does not fit 64 bits.
#
# Expected (the guess): a floating-point number, as json_decode of PHP makes of it, or the text.
# What happens: every integer above 9223372036854775807 becomes that one, without a warning: two different ids are equal.
# Below the bound of 64 bits it is the same with the smallest one.
# For whom: who reads ids or counters of 64 unsigned bits from YAML, such as those of snowflakes or disks.
# Versions: yaml 2.2.2 for PHP 8.2 of Debian 12 (php-yaml).
# Source: https://www.php.net/manual/en/function.yaml-parse.php; https://www.php.net/manual/en/language.types.integer.php,
# "Integer overflow": a number beyond the bounds is a float.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
program=$(command -v php8.2) || {
  echo 'Install php8.2-cli and php-yaml of Debian 12.' >&2
  exit 1
}
"$program" -r 'printf("PHP %s, yaml %s\n", PHP_VERSION, phpversion("yaml"));'
printf -- '- 18446744073709551615\n- 12345678901234567890\n- -12345678901234567890\n' >"$dir/in.yaml"
printf '[18446744073709551615, 12345678901234567890, -12345678901234567890]' >"$dir/in.json"
# shellcheck disable=SC2016
seen=$(timeout 60 "$program" -r '
foreach (yaml_parse_file($argv[1]) as $one) echo gettype($one), " ", $one, "\n";' "$dir/in.yaml")
# shellcheck disable=SC2016
json=$(timeout 60 "$program" -r '
foreach (json_decode(file_get_contents($argv[1])) as $one) echo gettype($one), " ", $one, "\n";' "$dir/in.json")
printf 'YAML:\n%s\nJSON:\n%s\n' "$seen" "$json"
[[ $seen == 'integer 9223372036854775807
integer 9223372036854775807
integer -9223372036854775808' ]]
[[ $json == 'double '*'double '*'double '* ]]
