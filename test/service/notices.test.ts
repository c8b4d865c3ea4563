import {expect} from 'chai';
import {day} from '../../src/domain/time.js';
import {environmentNotice, expiryText, plainHttpNotice} from '../../src/service/notices.js';

describe('the notice about environment variables', () => {
  it('names only the variables that override the profile', () => {
    const none = {PATH: '/bin', CONNECTORCTL_BASE_URL: ''};
    expect(environmentNotice('prod', none)).to.equal(undefined);
    expect(environmentNotice('prod', {CONNECTORCTL_PROFILE: 'prod'})).to.equal(undefined);
    expect(environmentNotice('prod', {CONNECTORCTL_PROFILE: 'test'})).to.equal(
      'Note: the environment overrides the profile: unset CONNECTORCTL_PROFILE to use it.',
    );
    expect(environmentNotice('prod', {CONNECTORCTL_AUTH_HEADER: 'X-API-Key'})).to.equal(
      'Note: the environment overrides the profile: unset CONNECTORCTL_AUTH_HEADER to use it.',
    );
    const two = {CONNECTORCTL_API_KEY_FILE: 'a', CONNECTORCTL_BASE_URL: 'b'};
    expect(environmentNotice('prod', two)).to.equal(
      'Note: the environment overrides the profile: unset CONNECTORCTL_BASE_URL, CONNECTORCTL_API_KEY_FILE to use it.',
    );
  });
});

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

describe('the expiry of a key', () => {
  /** The life of a key in days, the days that are left, and whether that is soon. */
  const cases: readonly (readonly [life: number | undefined, left: number, isSoon: boolean])[] = [
    [90, 8, false],
    [90, 7, true],
    [90, 1 / 24, true],
    [90, -1, true],
    [10, 2.1, false],
    [10, 2, true],
    [1, 0.21, false],
    [1, 0.2, true],
    [undefined, 8, false],
    [undefined, 7, true],
  ];
  for (const [life, left, isSoon] of cases) {
    it(`is ${isSoon ? '' : 'not '}soon with ${left} days left of ${life ?? 'an unknown number'}`, () => {
      const createdAt = life === undefined ? undefined : new Date((left - life) * day);
      const text = expiryText({createdAt, expiresAt: new Date(left * day)}, 0);
      expect(text !== undefined).to.equal(isSoon);
    });
  }
});
