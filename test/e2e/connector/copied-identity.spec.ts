import {copyFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runChild} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {eachWithSandbox, json} from '../../support/server/sandbox.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('a credentials file on two machines', () => {
  const at = temporaryDirectory();
  // A heartbeat is due every second.
  const holder = eachWithSandbox({clock: 'running', rate: 60});

  it('is told to both, and to the operator until one of them has ended', async () => {
    const {call, key, url} = holder.sandbox;
    const {token} = await json(call('createToken'));
    writeFileSync(at('token'), token);
    const env = {CONNECTORCTL_BASE_URL: url};
    const operator = {env: {...env, CONNECTORCTL_API_KEY: key}};
    const start = (file: string, ...flags: string[]) =>
      liveChild(['connector', 'run', '--credentials-file', at(file), ...flags], {env});
    const one = start('web-1.json', '--token-file', at('token'), '--name', 'web-1');
    await one.until(/online/);
    copyFileSync(at('web-1.json'), at('copy.json'));
    const other = start('copy.json', '--json');
    await other.until(/online/);
    const check = () => runChild(['connector', 'check', '--name', 'web-1'], operator);
    let found = await check();
    while (found.code === 0) found = await check();
    expect(found.code).to.equal(9);
    expect(found.stdout).to.match(
      /web-1 \(con_\w+\) is shared by two processes.*: a copy .* again/,
    );
    const list = await runChild(['connector', 'list', '--name', 'web-1'], operator);
    expect(list.stdout).to.match(/IDENTITY SHARED *\n.*online.* (now|\d+s ago) *\n$/);
    await one.until(
      / shared: another process also sends heartbeats for con_\w+, with .* a copy of it/,
    );
    await other.until(/ shared: another process/);
    await other.until(/^\{"event":"identity_shared","id":"con_\w+","shared":true\}$/m);
    one.signal('SIGKILL');
    await other.until(/ no longer shared: no other process/);
    while (found.code === 9) found = await check();
    expect(found.code).to.equal(0);
    expect(other.stderr().match(/shared:/g)).to.have.length(2);
  });
});
