import {rmSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runChild} from '../../support/process/child.js';
import {liveChild, runUntil} from '../../support/process/live-child.js';
import {eachWithSandbox, json} from '../../support/server/sandbox.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('a command that a unit starts again and again', () => {
  const at = temporaryDirectory();
  const holder = eachWithSandbox({clock: 'running'});

  it('fails a check from its fifth end on, is an event of a monitor, and never shown as shared', async () => {
    const {call, key, url} = holder.sandbox;
    const {token} = await json(call('createToken'));
    writeFileSync(at('token'), token);
    const env = {CONNECTORCTL_BASE_URL: url};
    const operator = {env: {...env, CONNECTORCTL_API_KEY: key}};
    const check = () => runChild(['connector', 'check', '--name', 'web-1'], operator);
    const run = ['connector', 'run', '--credentials-file', at('web-1.json')];
    await runUntil(/online/, [...run, '--token-file', at('token'), '--name', 'web-1'], {env});
    const ending = ['--', 'sh', '-c', `until [ -e ${at('end')} ]; do sleep 0.1; done; exit 1`];
    const monitor = ['connector', 'monitor', '--once', '--state', at('state'), '--name', 'web-1'];
    expect((await runChild(monitor, operator)).code).to.equal(0);
    const starts = async () => {
      const all: {name: string; starts_last_hour: number}[] = await json(call('list'));
      return all.find(({name}) => name === 'web-1')?.starts_last_hour ?? 0;
    };
    const codes: number[] = [];
    for (let start = 2; start <= 8; start += 1) {
      const child = liveChild([...run, ...ending], {env});
      while ((await starts()) < start);
      writeFileSync(at('end'), '');
      expect((await child.ended()).code).to.equal(1);
      rmSync(at('end'));
      codes.push((await check()).code);
    }
    expect(codes).to.deep.equal([0, 0, 0, 9, 9, 9, 9]);
    const found = await check();
    expect(found.stdout).to.match(/web-1 \(con_\w+\) is restarting again and again .*see its log/);
    expect(found.stdout).not.to.match(/shared/);
    const events = await runChild(monitor, operator);
    expect(events.code).to.equal(9);
    expect(events.stdout).to.match(/ began: web-1 \(con_\w+\) is restarting again and again /);
  });
});
