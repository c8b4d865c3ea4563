/** Adds half a minute, so that a slow machine still shows the same minutes. */
const minutesAgo = (minutes: number) =>
  new Date(Date.now() - (minutes + 0.5) * 60_000).toISOString();

const activatedAt = '2020-01-02T03:04:05.000Z';

/** Three connectors as a service returns them, in the order of a list. */
export function sampleFleet() {
  const organization = 'acme';
  return [
    {
      id: 'con_b',
      name: 'web-2',
      organization,
      status: 'online',
      activated_at: activatedAt,
      last_heartbeat_at: minutesAgo(3),
    },
    {
      id: 'con_a',
      name: 'web-1',
      organization,
      status: 'offline',
      activated_at: activatedAt,
      last_heartbeat_at: minutesAgo(50),
    },
    {
      id: 'con_c',
      name: 'db-1',
      organization,
      status: 'never',
      activated_at: activatedAt,
      last_heartbeat_at: null,
      rack: 12,
    },
  ] as const;
}
