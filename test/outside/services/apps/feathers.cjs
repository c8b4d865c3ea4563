const {feathers} = require('@feathersjs/feathers');
const {koa, rest, bodyParser, errorHandler} = require('@feathersjs/koa');
const {memory} = require('@feathersjs/memory');
const {FeathersError} = require('@feathersjs/errors');
const state = require('./state.cjs');

const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());

const attempt = async (act) => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof FeathersError) throw error;
    throw new FeathersError(error, 'Refused', error.status, 'refused', {});
  }
};
// As its generator writes it: `paginate` has a default of 10.
const connectors = memory({paginate: {default: 10, max: 50}, startId: 1});
const named = (create) => ({create});
app.use('fill', {
  // PUT fill/COUNT
  async update(count) {
    connectors.store = {};
    state.fill(Number(count));
    for (const one of state.list()) await connectors.create(one);
    return {};
  },
});
app.use(
  'api/connectors/create-token',
  named(() => state.createToken()),
);
app.use(
  'api/connectors/activate',
  named((body) =>
    attempt(async () => {
      const {api_key, ...connector} = state.activate(body);
      return {...(await connectors.create(connector)), api_key};
    }),
  ),
);
app.use(
  'api/connectors/:connector/heartbeat',
  named((_, {route}) =>
    attempt(() => connectors.patch(route.connector, {last_seen_at: new Date().toISOString()})),
  ),
);
app.use('api/connectors', connectors, {methods: ['find', 'get']});
app.listen(Number(process.env.PORT), '127.0.0.1');
