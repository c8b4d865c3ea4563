// The connectors of a service of Node.js. Each framework sends them, and the refusals, in its own way.
const connectors = new Map();
/** Whether a token is used. */
const tokens = new Map();
let last = 0;

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    // As http-errors has them, which Express, Koa and Fastify read.
    Object.assign(this, {status, statusCode: status, expose: true});
  }
}

function add(name) {
  last += 1;
  const connector = {id: String(last), name, last_seen_at: null};
  connectors.set(connector.id, connector);
  return connector;
}

function get(id) {
  const connector = connectors.get(String(id));
  if (connector === undefined) throw new Refusal(404, 'there is no such connector');
  return connector;
}

module.exports = {
  Refusal,
  add,
  get,
  list: () => [...connectors.values()],
  fill(count) {
    connectors.clear();
    for (let at = 1; at <= count; at += 1) add(`web-${at}`);
  },
  createToken() {
    const token = `act-${tokens.size + 1}-${Math.random().toString(36).slice(2)}`;
    tokens.set(token, false);
    return {token, expires_at: new Date(Date.now() + 600_000).toISOString()};
  },
  activate({token, name} = {}) {
    if (typeof name !== 'string' || name === '') throw new Refusal(400, 'the name is missing');
    const isUsed = tokens.get(token);
    if (isUsed === undefined) throw new Refusal(400, 'this token is unknown');
    if (isUsed) throw new Refusal(409, 'this token is used already');
    tokens.set(token, true);
    return {...add(name), api_key: `key-of-${token}`};
  },
  heartbeat(id) {
    get(id).last_seen_at = new Date().toISOString();
  },
};
