/** Adds half a minute, so that a slow machine still shows the same minutes. */
const minutesAgo = (minutes: number) =>
  new Date(Date.now() - (minutes + 0.5) * 60_000).toISOString();

/** Three connectors as a service returns them, in the order of a list. */
export function sampleConnectors() {
  const common = {organization: 'acme', activated_at: '2020-01-02T03:04:05.000Z'};
  const b = {id: 'con_b', name: 'web-2', status: 'online', last_heartbeat_at: minutesAgo(3)};
  const a = {id: 'con_a', name: 'web-1', status: 'offline', last_heartbeat_at: minutesAgo(50)};
  const c = {id: 'con_c', name: 'db-1', status: 'never', last_heartbeat_at: null, rack: 12};
  return [
    {...common, ...b},
    {...common, ...a},
    {...common, ...c},
  ] as const;
}
