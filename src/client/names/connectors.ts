import type {Connector} from '../../contract/index.js';
import {namesIn} from '../fields.js';

/** The names that services use for each field of a connector. The first match wins. */
export const connectorNames = {
  id: namesIn('id connector_id uuid'),
  name: namesIn('name'),
  status: namesIn('status state connection_status connector_status health liveness phase'),
  organization: namesIn('organization organization_id org'),
  activated_at: namesIn('activated_at'),
  last_heartbeat_at: namesIn(
    'last_heartbeat_at last_seen_at last_seen heartbeat_at last_heartbeat',
  ),
  identity_shared_at: namesIn('identity_shared_at'),
  starts_last_hour: namesIn('starts_last_hour'),
} satisfies Record<keyof Connector, readonly string[]>;

/** The names that services use for other fields. The first match wins. */
export const memberNames = {
  /** Fields that may hold a connector. */
  connectorEnvelopes: namesIn('connector data result node resource'),
  /** The object that holds the fields beside the id (resource objects of JSON:API). */
  attributes: namesIn('attributes'),
  /** The field with the status, in a status that is an object. */
  statusWord: namesIn('state status name value phase code label text type'),
  /** Fields that may hold an object about heartbeats. */
  heartbeat: namesIn('heartbeat'),
  /** The time of the last heartbeat in an object about heartbeats. */
  heartbeatTime: namesIn('at time timestamp received_at'),
  /** The heartbeat interval in seconds. */
  seconds: namesIn('next_heartbeat_seconds heartbeat_interval_seconds interval_seconds'),
  /** The heartbeat interval, without a unit in its name. */
  interval: namesIn('heartbeat_interval interval'),
} as const;

/**
 * The names of a connector's own credential in the response to its activation. The table of the test holds the service,
 * the version and the documentation for each of these names and for the names of the id.
 */
export const credentialNames = {
  own: namesIn(
    'api_key access_token auth_token jwt client_secret secret key token credential credentials',
  ),
  /** Further names in an object named `credential` or `credentials`. */
  inCredential: namesIn('value'),
  /** Objects that may hold the credential. */
  envelopes: namesIn('credential credentials connector data attributes result'),
} as const;

/** Also with a capital, as .NET and Alibaba Cloud write names. */
const orCapital = (names: readonly string[]) =>
  names.flatMap((name) => [name, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`]);

/** Fields that may hold the array of a list. The first match wins. */
export const listNames = orCapital(namesIn('connectors data items results value records'));

/** Fields that may hold the list or another value, such as the edges of Relay's connections. */
export const outerNames = orCapital(
  namesIn(
    'data result results response payload _embedded query d edges nodes list body hits feed collection',
  ),
);
