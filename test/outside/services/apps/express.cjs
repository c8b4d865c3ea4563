const express = require('express');
const state = require('./state.cjs');

const app = express();
app.use(express.json());
app.put('/fill/:count', (request, response) => {
  state.fill(Number(request.params.count));
  response.end();
});
app.post('/api/connectors/create-token', (_, response) => response.json(state.createToken()));
app.post('/api/connectors/activate', (request, response) => {
  const {api_key, ...connector} = state.activate(request.body);
  response.status(201).location(`/api/connectors/${connector.id}`).send({api_key});
});
app.get('/api/connectors', (_, response) => response.send(state.list()));
app.get('/api/connectors/:id', (request, response) => response.send(state.get(request.params.id)));
app.post('/api/connectors/:id/heartbeat', (request, response) => {
  state.heartbeat(request.params.id);
  response.send('ok');
});
app.listen(Number(process.env.PORT), '127.0.0.1');
