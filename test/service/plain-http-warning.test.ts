import {expect} from 'chai';
import {plainHttpNotice} from '../../src/service/plain-http-warning.js';

const key = {hasKey: true, sendsToken: false};
const token = {hasKey: false, sendsToken: true};

describe('the warning about plain HTTP', () => {
  it('names the secrets that the command sends to another machine', () => {
    const warning = (what: string) =>
      `Warning: http://connectors.example is not encrypted: ${what} can be read in transit. Use an https:// base URL if the service has one.`;
    const url = 'http://connectors.example/a/b';
    expect(plainHttpNotice(url, key)).to.equal(warning('the API key'));
    expect(plainHttpNotice(url, token)).to.equal(warning('the activation token'));
    expect(plainHttpNotice(url, {hasKey: true, sendsToken: true})).to.equal(
      warning('the API key and the activation token'),
    );
    expect(plainHttpNotice(url, {hasKey: false, sendsToken: false})).to.equal(undefined);
  });

  it('does not appear for this machine or with HTTPS', () => {
    for (const host of ['127.0.0.1:4480', 'localhost', '[::1]:4480', '127.8.8.8']) {
      expect(plainHttpNotice(`http://${host}`, key), host).to.equal(undefined);
    }
    for (const host of ['127.0.0.1.example', 'localhost.example', '10.0.0.1', '[fe80::1]']) {
      expect(plainHttpNotice(`http://${host}`, key), host).to.be.a('string');
      expect(plainHttpNotice(`https://${host}`, key), host).to.equal(undefined);
    }
  });
});
