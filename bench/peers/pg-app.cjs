// What a service on PostgreSQL would be without the rest: Express 5 or bare Fastify, `pg.Pool`, and no more SQL than needed.
const pg = require('pg');

const [, , framework, connectionString] = process.argv;
const pool = new pg.Pool({connectionString, max: 10});
const run = (on, name, text, ...values) => on.query({name, text, values}).then(({rows}) => rows[0]);
const get = ({params: {id}}) => run(pool, 'get', 'SELECT * FROM connectors WHERE id = $1', id);
const update =
  'UPDATE connectors SET last_heartbeat_at = $2 WHERE id = $1 RETURNING id, last_heartbeat_at';
const beat = ({params: {id}}) => run(pool, 'beat', update, id, Date.now());
const use = "UPDATE activation_tokens SET redemption = '{}' WHERE hash = $1";
const insert = `INSERT INTO connectors (id, organization, name, key_hash, activated_at)
  VALUES ($1, 'default', $2, $1, $3)`;
let next = 0;
const activate = async ({body: {token, name}}) => {
  const client = await pool.connect();
  next += 1;
  const id = `bare_${process.pid}_${next}`;
  await client.query('BEGIN');
  await run(client, 'use', use, token);
  await run(client, 'insert', insert, id, name, Date.now());
  await client.query('COMMIT');
  client.release();
  return {id, name};
};

const create = require(framework);
const app = create();
const isExpress = typeof app.set === 'function';
const on = (handle) =>
  isExpress ? async (request, response) => response.json(await handle(request)) : handle;
app.get('/api/connectors/:id', on(get));
app.post('/api/connectors/:id/heartbeat', on(beat));
app.post('/api/connectors/activate', on(activate));
const shown = () => console.log(`http://127.0.0.1:${server.address().port}`);
const server = isExpress ? app.listen(0, '127.0.0.1', shown) : app.server;
if (!isExpress) app.listen({port: 0, host: '127.0.0.1'}).then(shown);
process.on('SIGTERM', () => process.exit(0));
