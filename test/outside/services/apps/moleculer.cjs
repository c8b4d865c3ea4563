const {ServiceBroker, Errors} = require('moleculer');
const ApiGateway = require('moleculer-web');
const state = require('./state.cjs');

const attempt = (act) => {
  try {
    return act();
  } catch ({message, status}) {
    throw new Errors.MoleculerClientError(message, status, 'REFUSED');
  }
};
const broker = new ServiceBroker({logger: false});
broker.createService({
  name: 'connectors',
  actions: {
    fill: ({params}) => state.fill(Number(params.count)),
    createToken: () => state.createToken(),
    activate: {
      params: {token: 'string', name: {type: 'string', empty: false}},
      handler: ({params}) => attempt(() => state.activate(params)),
    },
    // As the action `list` of moleculer-db.
    list({params: {page = 1, pageSize = 10}}) {
      const all = state.list();
      const rows = all.slice((page - 1) * pageSize, page * pageSize);
      const totalPages = Math.ceil(all.length / pageSize);
      return {rows, total: all.length, page: Number(page), pageSize: Number(pageSize), totalPages};
    },
    get: ({params}) => attempt(() => state.get(params.id)),
    heartbeat: ({params}) => attempt(() => state.heartbeat(params.id)),
  },
});
broker.createService({
  mixins: [ApiGateway],
  settings: {
    port: Number(process.env.PORT),
    ip: '127.0.0.1',
    routes: [
      {
        path: '/',
        bodyParsers: {json: true},
        aliases: {
          'PUT fill/:count': 'connectors.fill',
          'POST api/connectors/create-token': 'connectors.createToken',
          'POST api/connectors/activate': 'connectors.activate',
          'GET api/connectors': 'connectors.list',
          'GET api/connectors/:id': 'connectors.get',
          'POST api/connectors/:id/heartbeat': 'connectors.heartbeat',
        },
      },
    ],
  },
});
broker.start();
