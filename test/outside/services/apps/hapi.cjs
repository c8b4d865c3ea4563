const Hapi = require('@hapi/hapi');
const Boom = require('@hapi/boom');
const state = require('./state.cjs');

const server = Hapi.server({port: Number(process.env.PORT), host: '127.0.0.1'});
const route = (method, path, handle) =>
  server.route({
    method,
    path,
    handler(request, h) {
      try {
        return handle(request, h);
      } catch (error) {
        throw Boom.boomify(error, {statusCode: error.status ?? 500});
      }
    },
  });
route('PUT', '/fill/{count}', ({params}) => {
  state.fill(Number(params.count));
  return null;
});
route('POST', '/api/connectors/create-token', () => state.createToken());
route('POST', '/api/connectors/activate', ({payload}, h) => {
  const connector = state.activate(payload ?? undefined);
  return h.response(connector).created(`/api/connectors/${connector.id}`);
});
route('GET', '/api/connectors', () => state.list());
route('GET', '/api/connectors/{id}', ({params}) => state.get(params.id));
route('POST', '/api/connectors/{id}/heartbeat', ({params}) => {
  state.heartbeat(params.id);
  return 'ok';
});
server.start();
