import {expect} from 'chai';
import fastify from 'fastify';
import {mountControl} from '../../../src/server/sandbox/control.js';
import {Sandbox} from '../../../src/server/sandbox/sandbox.js';

describe('the control routes of a sandbox', () => {
  const authorization = 'Bearer control-token-0123456789';
  const control = {hosts: [], token: authorization.slice('Bearer '.length)};
  for (const [what, remoteAddress, options, code] of [
    ['answer this machine', '127.0.0.1', undefined, 200],
    ['do not answer another machine without a control token', '192.0.2.1', undefined, 404],
    ['answer another machine with the control token', '192.0.2.1', control, 200],
  ] as const) {
    it(what, async () => {
      const app = fastify().setValidatorCompiler(() => () => true);
      mountControl(app, new Sandbox({seed: 1}), options);
      const request = {url: '/_sandbox/status', remoteAddress, headers: {authorization}};
      expect((await app.inject(request)).statusCode).to.equal(code);
    });
  }
});
