import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {closedPort} from '../support/network/ports.js';
import {eachWithSandbox, startSandbox} from '../support/server/sandbox.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';

describe('connectorctl sandbox', () => {
  const at = temporaryDirectory();
  const suite = eachWithSandbox();
  const run = (...argv: string[]) =>
    runCommand(['sandbox', ...argv, '--base-url', suite.sandbox.url]);
  const ok = (stdout: string, stderr = '') => ({code: 0, stdout, stderr});

  it('status shows the clock, connectors, faults and seed', async () => {
    expect(await run('status')).to.deep.equal(
      ok(
        [
          'time        2030-01-01T00:00:00.000Z (frozen)',
          'connectors  none',
          'faults      0',
          'seed        1\n',
        ].join('\n'),
      ),
    );
    expect(JSON.parse((await run('status', '--json')).stdout)).to.deep.equal({
      clock: 'frozen',
      rate: 1,
      now: '2030-01-01T00:00:00.000Z',
      seed: 1,
      heartbeat_interval_seconds: 60,
      connectors: {never: 0, online: 0, stale: 0, offline: 0, revoked: 0},
      faults: 0,
    });
  });

  it('advance moves the clock forward, so that connectors become offline', async () => {
    expect(await run('fleet', '3', '--never', '1')).to.deep.equal(
      ok('Created never 1, online 2\n'),
    );
    const {code, stdout} = await run('advance', '1m30s');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^time {8}2030-01-01T00:01:30\.000Z/);
    expect((await run('advance', '1h')).stdout).to.include('connectors  never 1, offline 2\n');
  });

  it('fault add and clear manage faults', async () => {
    expect(await run('fault', 'add', 'list:503@#2')).to.deep.equal(
      ok('Added fault 1: list:503@#2\n'),
    );
    expect((await run('status')).stdout).to.include('faults      1\n');
    expect(await run('fault', 'clear')).to.deep.equal(ok('Removed all faults.\n'));
    expect(JSON.parse((await run('fault', 'clear', '--json')).stdout)).to.deep.equal({faults: []});
    expect((await run('status')).stdout).to.include('faults      0\n');
  });

  it('fleet creates connectors with names', async () => {
    const names = ['--name', 'web-1', '--name', 'db-1', '--offline', '1'];
    expect(await run('fleet', ...names)).to.deep.equal(ok('Created online 1, offline 1\n'));
    expect((await run('fleet')).stderr).to.include(
      'count must be a number, or there must be names',
    );
  });

  it('reports a service that is not a sandbox, and a URL where nothing listens', async () => {
    const other = await thirdPartyService(json({}));
    const real = await runCommand(['sandbox', 'status', '--base-url', other.url]);
    expect([real.code, real.stderr]).to.deep.equal([
      4,
      `Error: The service at ${other.url} is not a sandbox.\n  Start one with: connectorctl serve --sandbox\n`,
    ]);
    const url = `http://127.0.0.1:${await closedPort()}`;
    const nothing = await runCommand(['sandbox', 'status', '--base-url', url]);
    expect(nothing.code).to.equal(6);
    expect(nothing.stderr).to.include(`Cannot connect to ${url} (ECONNREFUSED).`);
  });

  it('sends the control token of --control-token-file, or of CONNECTORCTL_CONTROL_TOKEN', async () => {
    const token = 'control-token-0123456789';
    const sandbox = await startSandbox({seed: 1, controlToken: token});
    writeFileSync(at('token'), `${token}\n`);
    const status = (flags: string[], env = {}) =>
      runCommand(['sandbox', 'status', '--base-url', sandbox.url, ...flags], env);
    const none = await status([]);
    expect([none.code, none.stderr.split('\n').slice(0, 2)]).to.deep.equal([
      3,
      [
        'Error: The sandbox needs its control token.',
        '  Pass its file with --control-token-file, or set CONNECTORCTL_CONTROL_TOKEN.',
      ],
    ]);
    const wrong = await status([], {CONNECTORCTL_CONTROL_TOKEN: 'another'});
    expect(wrong.code).to.equal(3);
    expect(wrong.stderr).to.include('does not accept the control token.');
    expect((await status([], {CONNECTORCTL_CONTROL_TOKEN: token})).code).to.equal(0);
    expect((await status(['--control-token-file', at('token')])).code).to.equal(0);
  });
});
