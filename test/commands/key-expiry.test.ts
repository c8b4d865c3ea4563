import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {eachWithSandbox} from '../support/server/sandbox.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';

const day = 24 * 60 * 60;

describe('a key that expires', () => {
  const at = temporaryDirectory();
  const suite = eachWithSandbox();

  /** Runs command lines with a key that expires in a number of seconds. */
  async function withKey(left: number) {
    const {control, url} = suite.sandbox;
    await control('createFleet', {count: 2});
    const lifetime = {ttl_seconds: 60 * day};
    const {api_key: key} = await control<{api_key: string}>('createKey', lifetime);
    await control('advance', {seconds: 60 * day - left});
    await control('createFleet', {count: 1});
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key, XDG_CONFIG_HOME: at()};
    return (line: string) => runCommand(line.split(' '), env);
  }
  const check = 'connector check --max-offline 100%';

  it('is not mentioned while it has eight days left, but by whoami and doctor', async () => {
    const run = await withKey(8 * day);
    expect((await run('connector list')).stderr).to.equal('');
    expect((await run(check)).stdout).not.to.include('expires');
    const {stdout, stderr} = await run('whoami');
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^expires {2,}2030-03-02T00:00:00.000Z$/m);
    expect((await run('doctor')).stdout).to.match(
      /^key +the service accepts it; it expires in 8d$/m,
    );
  });

  for (const [left, text] of [
    [6 * day, '6d'],
    [3600, '60m'],
  ] as const) {
    it(`is told by each command once when it has ${text} left, and is a warning of check and monitor`, async () => {
      const run = await withKey(left);
      const warning = `Warning: The API key expires in ${text} (2030-03-02T00:00:00.000Z): ask for a new one.\n`;
      const list = await run('connector list -o id');
      expect(list.stderr).to.equal(warning);
      const [id] = list.stdout.split('\n');
      expect((await run(`connector get ${id}`)).stderr).to.equal(warning);
      const checked = await run(check);
      expect(checked.code).to.equal(0);
      expect(checked.stderr).not.to.include('expires');
      expect(checked.stdout).to.include(`The API key expires in ${text}`);
      expect((await run(`${check} --fail-on-warning`)).code).to.equal(9);
      const state = at(`state-${text}.json`);
      const monitored = await run(
        `connector monitor --max-offline 100% --once --initial --state ${state}`,
      );
      expect(monitored.stdout).to.match(/ began: The API key expires in /);
      expect(JSON.parse((await run('whoami --json')).stdout).api_key.expires_at).to.equal(
        '2030-03-02T00:00:00.000Z',
      );
    });
  }

  it('is refused once it has expired', async () => {
    const run = await withKey(0);
    const {code, stderr} = await run('whoami');
    expect(code).to.equal(3);
    expect(stderr).to.include('The API key has expired').and.include('Ask for a new API key.');
  });

  const foreign: readonly (readonly [header: string, expected: string])[] = [
    [
      new Date(Date.now() + 5.5 * day * 1000).toISOString().replace(/T(.*)\..*/, ' $1 UTC'),
      'expires in [56]d',
    ],
    ['2020-01-01 00:00:00 UTC', 'expired [0-9]+d ago'],
    ['next Tuesday', ''],
  ];
  for (const [header, expected] of foreign) {
    it(`is told, or ignored, at a service with the header of GitHub: ${header.replace(/\d{4}-.*\d (?=\S)/, 'a date ')}`, async () => {
      const headers = {'github-authentication-token-expiration': header};
      const {url} = await thirdPartyService(json([{id: '1'}], 200, headers));
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k', XDG_CONFIG_HOME: at()};
      const {code, stderr} = await runCommand(['connector', 'list'], env);
      expect(code).to.equal(0);
      if (expected === '') expect(stderr).to.equal('');
      else expect(stderr).to.match(new RegExp(`^Warning: The API key ${expected} `));
    });
  }
});
