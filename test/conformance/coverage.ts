/** A sentence or a field of docs/interface.md, and the checks on it, or why there is none. */
interface Coverage {
  readonly sentence: string;
  readonly by: readonly string[] | string;
}

/** Every sentence of the interface, in its order; a test compares it with docs/interface.md. */
export const coverage: readonly Coverage[] = [
  {
    sentence: 'A client manages the connectors of an organization over HTTP.',
    by: ['4.2/activates', '4.3/lists', '4.4/reads'],
  },
  {
    sentence:
      'It creates an activation token, and presents the token with a name to activate a connector.',
    by: ['4.1/creates', '4.2/activates'],
  },
  {
    sentence:
      'Activated connectors can be listed and read one by one, and each reports that it is alive with heartbeats.',
    by: ['4.3/complete', '4.4/reads', '4.5/accepts'],
  },
  {
    sentence:
      'Audit events and tools have interfaces of their own, which this document does not cover.',
    by: 'not checkable: other interfaces',
  },
  {
    sentence: 'What a connector does or connects to is open.',
    by: 'open: nothing to observe in responses',
  },
  {
    sentence: '**Activation token**, as token creation returns it:',
    by: ['4.1/creates'],
  },
  {
    sentence: '`token`: opaque; presented at activation (string)',
    by: ['4.1/token', '4.1/new-token'],
  },
  {
    sentence:
      '`expires_at`: time after which the token is no longer valid, ISO 8601 in UTC with a trailing `Z` (string)',
    by: ['4.1/expires-at', '4.1/expires'],
  },
  {
    sentence: '**Connector**:',
    by: ['4.3/complete'],
  },
  {
    sentence: '`id`: identifies the connector in paths (string)',
    by: ['2/id', '4.2/new-id', '4.4/listed-id'],
  },
  {
    sentence: '`name`: for people; given at activation (string)',
    by: ['2/name', '4.2/name-kept'],
  },
  {
    sentence: 'Open: every other field of a connector, and the format of the id.',
    by: ['2/further-fields', '2/id-format'],
  },
  {
    sentence: 'A token has an expiry time.',
    by: ['4.1/expires-at', '4.1/expires'],
  },
  {
    sentence:
      'Open: any other state of a token or a connector, and the transitions between states.',
    by: ['3/connector-states', '3/token-states', '3/clock-set-back'],
  },
  {
    sentence: 'All paths are relative to the base URL.',
    by: 'covered by every check: each request is below the base URL',
  },
  {
    sentence: '`POST /api/connectors/create-token` creates a new token.',
    by: ['4.1/creates', '4.1/new-token'],
  },
  {
    sentence: 'The interface describes no request body.',
    by: ['4.1/creates'],
  },
  {
    sentence: 'The response is a JSON object with `token` and `expires_at` (§2).',
    by: ['4.1/creates', '4.1/token', '4.1/expires-at'],
  },
  {
    sentence: 'Open: status of success, parameters, lifetime of the token.',
    by: ['4.1/status-and-body', '4.1/lifetime'],
  },
  {
    sentence:
      '`POST /api/connectors/activate` with a JSON object: `token` (string, from §4.1) and `name` (string).',
    by: ['4.2/activates', '4.2/unknown-token', '4.2/refused-makes-none'],
  },
  {
    sentence:
      'Open: response, status of success, whether both fields are required, limits on the name.',
    by: ['4.2/response', '4.2/required-fields', '4.2/name-limits'],
  },
  {
    sentence: "`GET /api/connectors` returns all connectors of the caller's organization.",
    by: ['4.3/complete', '4.3/isolation'],
  },
  {
    sentence: 'The interface describes no parameters.',
    by: ['4.3/lists'],
  },
  {
    sentence: 'Open: shape of the response, pages, filters, order, status.',
    by: ['4.3/shape'],
  },
  {
    sentence: '`GET /api/connectors/{id}` returns the details of one connector.',
    by: ['4.4/reads', '4.4/listed-id'],
  },
  {
    sentence: 'Open: shape of the response, status, and the response for an unknown id.',
    by: ['2/further-fields', '4.4/status-of-unknown-id'],
  },
  {
    sentence: '`POST /api/connectors/{id}/heartbeat` reports that the connector is alive.',
    by: ['4.5/accepts', '4.5/effect'],
  },
  {
    sentence: 'Open: request body, response, status, and how often heartbeats are expected.',
    by: ['4.5/request-body', '4.5/response', '4.5/interval'],
  },
  {
    sentence:
      'Open: how callers authenticate, which credentials each operation needs, and how the service determines the organization.',
    by: ['5/scheme', '5/connector-key', '5/organization'],
  },
  {
    sentence: 'Open: events and webhooks.',
    by: ['6/events'],
  },
  {
    sentence: 'Open: format, codes and status codes of errors.',
    by: ['7/format', '7/bad-token'],
  },
  {
    sentence:
      'Open: rate limits, sizes, and the lifetime of a token (only that it expires is given).',
    by: ['8/rate-limits', '8/sizes', '4.1/lifetime'],
  },
  {
    sentence: 'The paths carry no version.',
    by: 'covered by every check: no path of a request has a version',
  },
  {
    sentence: 'Everything else about versions is open.',
    by: ['9/versions'],
  },
];
