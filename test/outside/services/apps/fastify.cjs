const {fastify} = require('fastify');
const state = require('./state.cjs');

const app = fastify();
const body = {
  type: 'object',
  required: ['token', 'name'],
  properties: {token: {type: 'string'}, name: {type: 'string', minLength: 1}},
};
app.put('/fill/:count', async ({params}) => state.fill(Number(params.count)));
app.post('/api/connectors/create-token', async () => state.createToken());
app.post('/api/connectors/activate', {schema: {body}}, async (request, reply) => {
  reply.code(201);
  return {data: state.activate(request.body)};
});
app.get('/api/connectors', async () => ({data: state.list()}));
app.get('/api/connectors/:id', async ({params}) => ({data: state.get(params.id)}));
app.post('/api/connectors/:id/heartbeat', async ({params}, reply) => {
  state.heartbeat(params.id);
  reply.code(202);
  return 'ok';
});
app.listen({port: Number(process.env.PORT), host: '127.0.0.1'});
