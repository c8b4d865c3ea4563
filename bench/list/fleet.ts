/** A connector with the fields of the reference service; one in ten is offline, one in fifty never was online. */
function connectorText(number: number): string {
  const seen = new Date(Date.UTC(2026, 6, 1) + ((number * 7919) % 86_400_000));
  return JSON.stringify({
    id: `con_01ARZ3NDEKTSV4RRF${String(number).padStart(9, '0')}`,
    name: `connector-${String(number).padStart(7, '0')}`,
    organization: 'default',
    status: number % 10 === 3 ? 'offline' : 'online',
    activated_at: '2026-01-01T00:00:00.000Z',
    last_heartbeat_at: number % 50 === 3 ? null : seen.toISOString(),
  });
}

/** A list of connectors, as the body of a response. */
export const listText = (count: number): string =>
  `[${Array.from({length: count}, (_, number) => connectorText(number)).join()}]`;
