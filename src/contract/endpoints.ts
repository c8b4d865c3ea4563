/**
 * Method and path of each operation (interface §4.1 to §4.5). The module has no schemas and loads nothing, because a
 * client command needs no more.
 */
export const endpoints = {
  createToken: {method: 'POST', path: '/api/connectors/create-token'},
  activate: {method: 'POST', path: '/api/connectors/activate'},
  list: {method: 'GET', path: '/api/connectors'},
  get: {method: 'GET', path: '/api/connectors/{id}'},
  heartbeat: {method: 'POST', path: '/api/connectors/{id}/heartbeat'},
} as const satisfies Record<string, Endpoint>;

/** A method and a path template of the interface; `{name}` is a path parameter. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** The name of an operation of the interface. */
export type Operation = keyof typeof endpoints;

/** The names of all operations, in the order of the interface. */
export const operations = Object.keys(endpoints) as readonly Operation[];

/**
 * Fills a path template with percent-encoded parameters, so that an opaque id stays one segment.
 * URL parsers remove a segment of dots alone (`.`, `..`) even when it is encoded, so such an id
 * cannot be addressed over HTTP (RFC 3986 §5.2.4).
 */
export function fillPath(template: string, params: Readonly<Record<string, string>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
}
