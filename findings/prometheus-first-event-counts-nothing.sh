#!/usr/bin/env bash
# An alert on a counter with labels that does not exist before its first event: increase(errors_total[5m]) > 0.
#
# Expected (the guess): the first event raises it, since the counter went from nothing to 1.
# What happens: increase() compares the samples that there are. The first one is where the series begins, so the first
# event counts 0, for ever, and the alert stays silent; only the second event raises it.
# A counter that is written with 0 from the start has no such gap.
# For whom: who alerts on rare events, each of which matters, with labels that client libraries create when first used.
# Versions: promtool 2.42.0 of Debian 12.
# Source: https://prometheus.io/docs/prometheus/latest/querying/functions/#increase
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v promtool >/dev/null || {
  echo 'Install prometheus of Debian 12.' >&2
  exit 1
}
promtool --version 2>&1 | sed -n 1p
cat >"$dir/rules.yml" <<'YAML'
groups:
  - name: errors
    rules:
      - alert: Error
        expr: increase(errors_total[5m]) > 0
YAML
# Three series, each with its first event after ten minutes: one that begins with it, one with a second event five minutes
# later, and one that was 0 before.
cat >"$dir/test.yml" <<'YAML'
rule_files: [rules.yml]
evaluation_interval: 15s
tests:
  - interval: 15s
    input_series:
      - {series: 'errors_total{kind="once"}', values: '_x40 1x60'}
      - {series: 'errors_total{kind="again"}', values: '_x40 1x20 2x40'}
      - {series: 'errors_total{kind="zero"}', values: '0x40 1x60'}
    promql_expr_test:
      - expr: increase(errors_total[5m])
        eval_time: 12m
        exp_samples:
          - {labels: '{kind="once"}', value: 0}
          - {labels: '{kind="again"}', value: 0}
          - {labels: '{kind="zero"}', value: 1}
    alert_rule_test:
      - eval_time: 12m
        alertname: Error
        exp_alerts: [{exp_labels: {kind: zero}}]
      - eval_time: 17m
        alertname: Error
        exp_alerts: [{exp_labels: {kind: again}}]
YAML
(cd "$dir" && timeout 60 promtool test rules test.yml)
echo 'The first event raised the alert only where the counter had been 0 before.'
