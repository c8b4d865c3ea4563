const Koa = require('koa');
const {Router} = require('@koa/router');
const {bodyParser} = require('@koa/bodyparser');
const state = require('./state.cjs');

const router = new Router();
router.put('/fill/:count', (context) => {
  state.fill(Number(context.params.count));
  context.status = 204;
});
router.post('/api/connectors/create-token', (context) => {
  context.body = state.createToken();
});
router.post('/api/connectors/activate', (context) => {
  context.body = state.activate(context.request.body);
});
router.get('/api/connectors', (context) => {
  context.body = {connectors: state.list()};
});
router.get('/api/connectors/:id', (context) => {
  context.body = state.get(context.params.id);
});
router.post('/api/connectors/:id/heartbeat', (context) => {
  state.heartbeat(context.params.id);
  context.body = null;
});
const app = new Koa();
app.silent = true;
app.use(bodyParser());
app.use(router.routes());
app.listen(Number(process.env.PORT), '127.0.0.1');
