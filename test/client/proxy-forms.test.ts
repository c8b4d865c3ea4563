import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {proxyFor} from '../../src/client/proxy.js';
import {AppError} from '../../src/errors.js';
import {runCli} from '../support/command/run-cli.js';
import {exclusionForms, urlForms, variableForms} from '../support/network/proxy-forms.js';

const example = new URL('http://a.example');

/** `USER:PASSWORD@HOST:PORT` of a proxy, without what is absent. */
function shown({username, password, protocol, hostname, port}: URL): string {
  const login = decodeURIComponent(`${username}:${password}`);
  const prefix = login === ':' ? '' : `${login}@`;
  return `${prefix}${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

describe('the variables for a proxy', () => {
  for (const [list, url, isExcluded] of exclusionForms) {
    it(`lead ${isExcluded ? 'directly' : 'through the proxy'} to ${url} with NO_PROXY='${list}'`, () => {
      const env = {ALL_PROXY: 'http://127.0.0.1:3128', NO_PROXY: list};
      expect(proxyFor(new URL(url), env) === undefined).to.equal(isExcluded);
    });
  }

  for (const [value, outcome] of urlForms) {
    if (typeof outcome === 'string') {
      it(`name ${outcome} with the value ${value}`, () => {
        const proxy = proxyFor(example, {HTTP_PROXY: value.replace('PORT', '3128')});
        expect(proxy && shown(proxy.url)).to.equal(outcome.replace('PORT', '3128'));
        expect(proxy?.url.origin).to.match(/^https?:\/\/[\w.:[\]]+$/);
      });
    } else {
      it(`are refused by name, without the value ${value}`, () => {
        try {
          proxyFor(example, {HTTP_PROXY: value.replace('PORT', '3128')});
          expect.fail('it is accepted');
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          expect(error).to.include({kind: 'usage', reason: 'proxy-invalid'});
          expect(error.message).to.match(outcome).and.to.include('HTTP_PROXY');
          expect(`${error.message}${hintFor(error)}`).not.to.match(/sec ?|DOMAIN|user:|127/);
        }
      });
    }
  }

  for (const [env, url, variable] of variableForms) {
    it(`are read in the order of precedence: ${variable} of ${JSON.stringify(env)} for ${url}`, () => {
      expect(proxyFor(new URL(url), env)?.variable).to.equal(variable);
    });
  }

  for (const argv of [
    'connector list',
    'connector list --json --debug',
    'doctor',
    'doctor --json',
  ]) {
    it(`are named without their value by ${argv}`, async () => {
      for (const [value, outcome] of urlForms) {
        if (typeof outcome === 'string') continue;
        const env = {CONNECTORCTL_BASE_URL: 'http://a.example', HTTP_PROXY: value};
        const {code, stdout, stderr} = await runCli(argv.split(' '), {env});
        expect(code, value).to.equal(2);
        expect(stdout + stderr)
          .to.include('HTTP_PROXY')
          .and.not.match(/sec ?|DOMAIN|user:|127/);
      }
    });
  }

  it('do not count for this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]']) {
      expect(proxyFor(new URL(`http://${host}`), {ALL_PROXY: 'http://a.example'})).to.equal(
        undefined,
      );
    }
  });
});
