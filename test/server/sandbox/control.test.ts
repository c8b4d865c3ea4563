import {expect} from 'chai';
import fastify from 'fastify';
import {mountControl} from '../../../src/server/sandbox/control.js';
import {Sandbox} from '../../../src/server/sandbox/sandbox.js';

describe('the control routes of a sandbox', () => {
  const token = 'control-token-0123456789';
  for (const [what, remoteAddress, host, controlToken, code] of [
    ['answer this machine under localhost', '127.0.0.1', 'localhost:4480', undefined, 200],
    ['answer this machine under an IPv4 address', '127.0.0.1', '127.0.0.1', undefined, 200],
    ['answer this machine under an IPv6 address', '::1', '[::1]:4480', undefined, 200],
    ['do not answer under another name (DNS rebinding)', '127.0.0.1', 'a.test', undefined, 404],
    [
      'do not answer another machine without a control token',
      '192.0.2.1',
      '192.0.2.9',
      undefined,
      404,
    ],
    ['answer another machine, under any name, with the token', '192.0.2.1', 'a.test', token, 200],
  ] as const) {
    it(what, async () => {
      const app = fastify().setValidatorCompiler(() => () => true);
      mountControl(app, new Sandbox({seed: 1}), controlToken);
      const headers = {authorization: `Bearer ${token}`, host};
      const request = {url: '/_sandbox/status', remoteAddress, headers};
      expect((await app.inject(request)).statusCode).to.equal(code);
    });
  }
});
