import {once} from 'node:events';
import {connect} from 'node:net';
import {expect} from 'chai';
import {parseResponse} from '../../support/server/raw-http.js';
import {eachWithSandbox, json} from '../../support/server/sandbox.js';

describe('an effect of a sandbox, at the socket', () => {
  const suite = eachWithSandbox();
  const fault = (spec: string) => suite.sandbox.control('addFault', {spec});
  const names = async () =>
    (await json(suite.sandbox.call('list'))).map(({name}: {name: string}) => name);

  it('503 refuses with a Retry-After header, and nothing is carried out', async () => {
    await fault('create-token:503,retry-after=30s@1x');
    const {status, headers, body} = parseResponse(await suite.sandbox.raw('createToken'));
    expect(status).to.equal(503);
    expect(headers).to.include({
      'retry-after': '30',
      'content-type': 'application/problem+json; charset=utf-8',
    });
    expect(JSON.parse(body)).to.include({status: 503, code: 'sandbox_fault'});
    expect((await suite.sandbox.call('createToken')).status).to.equal(201);
  });

  it('204, 302, 401 and 599 are sent as well', async () => {
    for (const status of [204, 302, 401, 599]) {
      await fault(`list:${status}@1x`);
      const response = parseResponse(await suite.sandbox.raw('list'));
      expect(response.status).to.equal(status);
      if (status < 400) expect(response.body).to.equal('');
    }
  });

  it('latency delays the response', async () => {
    await fault('list:latency=150ms@1x');
    const startedAt = performance.now();
    expect(parseResponse(await suite.sandbox.raw('list')).status).to.equal(200);
    expect(performance.now() - startedAt).to.be.at.least(149);
  });

  it('reset resets the connection', async () => {
    await fault('list:reset');
    const {port} = new URL(suite.sandbox.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /api/connectors HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    const [error] = await once(socket, 'error');
    expect(error.code).to.equal('ECONNRESET');
  });

  it('drop-response carries out the operation, and closes the connection without a response', async () => {
    const {token} = await json(suite.sandbox.call('createToken'));
    await fault('activate:drop-response@1x');
    const body = {token, name: 'web-1'};
    expect(await suite.sandbox.raw('activate', {body})).to.equal('');
    expect(await names()).to.deep.equal(['web-1']);
    const again = await suite.sandbox.call('activate', {body});
    expect((await json(again)).code).to.equal('token_used');
  });

  it('truncate closes the connection after half of a body of a declared length', async () => {
    await fault('create-token:truncate');
    const {status, headers, body} = parseResponse(await suite.sandbox.raw('createToken'));
    expect(status).to.equal(201);
    expect(body.length).to.equal(Math.floor(Number(headers['content-length']) / 2));
    expect(body).to.match(/^\{"token":"act_/);
  });

  it('truncate closes the connection after half of a streamed list', async () => {
    await suite.sandbox.control('createFleet', {count: 50});
    await fault('list:truncate');
    const {headers, body} = parseResponse(await suite.sandbox.raw('list'));
    expect(headers).not.to.have.property('transfer-encoding');
    expect(body.length).to.equal(Math.floor(Number(headers['content-length']) / 2));
  });

  it('garbage replaces the body by bytes that are not JSON', async () => {
    await fault('list:garbage');
    const response = await suite.sandbox.call('list');
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([bytes.length, bytes[0]]).to.deep.equal([32, 0xff]);
  });

  it('acts on HEAD as on GET, and on no other method', async () => {
    await fault('list:503');
    const url = `${suite.sandbox.url}/api/connectors`;
    expect((await fetch(url, {method: 'HEAD'})).status).to.equal(503);
    expect((await fetch(url, {method: 'DELETE'})).status).to.equal(405);
  });
});
