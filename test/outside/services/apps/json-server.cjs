const jsonServer = require('json-server');
const state = require('./state.cjs');

const database = {connectors: []};
const sync = () => {
  database.connectors = state.list();
};
const app = jsonServer.create();
app.use(jsonServer.bodyParser);
app.put('/fill/:count', (request, response) => {
  state.fill(Number(request.params.count));
  response.end();
});
app.post('/api/connectors/create-token', (_, response) => response.jsonp(state.createToken()));
app.post('/api/connectors/activate', (request, response) => {
  response.status(201).jsonp(state.activate(request.body));
});
app.post('/api/connectors/:id/heartbeat', (request, response) => {
  state.heartbeat(request.params.id);
  response.sendStatus(204);
});
// The list and its elements are those of json-server.
app.use('/api', (request, response, next) => {
  sync();
  jsonServer.router(database)(request, response, next);
});
app.listen(Number(process.env.PORT), '127.0.0.1');
