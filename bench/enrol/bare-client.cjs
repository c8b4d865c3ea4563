// The least that an enrolment over HTTP takes: node bare-client.cjs PORT ROWS CONNECTIONS, with the API key in
// BENCH_KEY. Creates a token and activates a connector for each row, and saves nothing.
const {randomUUID} = require('node:crypto');
const {Agent, request} = require('node:http');

const [port, rows, connections] = process.argv.slice(2).map(Number);
const agent = new Agent({keepAlive: true, maxSockets: connections});

const post = (path, headers, body = '') =>
  new Promise((resolve, reject) => {
    const options = {agent, host: '127.0.0.1', port, method: 'POST', path, headers};
    const sent = request(options, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode === 200 || response.statusCode === 201) resolve(JSON.parse(text));
      else reject(new Error(text));
    });
    sent.on('error', reject);
    sent.end(body);
  });

let next = 0;
const work = async () => {
  for (let row = next++; row < rows; row = next++) {
    const authorization = `Bearer ${process.env.BENCH_KEY}`;
    const {token} = await post('/api/connectors/create-token', {authorization});
    const headers = {'content-type': 'application/json', 'idempotency-key': randomUUID()};
    await post('/api/connectors/activate', headers, JSON.stringify({token, name: `bare-${row}`}));
  }
};
Promise.all(Array.from({length: connections}, work)).then(() => agent.destroy());
