import {expect} from 'chai';
import {createClient} from '../../../src/index.js';
import {type Sandbox, type SandboxOptions, startSandbox} from '../../../src/sandbox.js';
import {failure} from '../../support/client.js';
import {atEndOfTest} from '../../support/process/at-end-of-test.js';

describe('startSandbox of the library', () => {
  const start = async (options?: SandboxOptions) => {
    const sandbox = await startSandbox(options);
    atEndOfTest(() => sandbox.close());
    return sandbox;
  };
  const timeOf = async ({baseUrl}: Sandbox) =>
    Date.parse((await fetch(`${baseUrl}/healthz`)).headers.get('date') ?? '');
  const addressOf = ({baseUrl, apiKey}: Sandbox) => ({baseUrl, apiKey});
  const statusesOf = async (sandbox: Sandbox) => {
    const client = createClient({...addressOf(sandbox), retries: 0});
    const statuses: (string | undefined)[] = [];
    for await (const {status} of client.listConnectors()) statuses.push(status);
    return statuses;
  };

  it('advances the clock of that sandbox only', async () => {
    const [one, other] = await Promise.all([start({seed: 1}), start({seed: 1})]);
    const before = await timeOf(other);
    await one.advance('10m');
    expect([await timeOf(one), await timeOf(other)]).to.deep.equal([before + 600_000, before]);
    const {message} = await failure(() => one.advance('10'));
    expect(message).to.equal('"10" is not a duration such as "10m".');
  });

  it('adds a fault, and a reset removes it with the connectors', async () => {
    const sandbox = await start({heartbeatInterval: '10s', rate: 2});
    const client = createClient(addressOf(sandbox));
    const {token} = await client.createToken();
    const {connector} = await client.activateConnector({token, name: 'web-1'});
    const {nextHeartbeatSeconds} = await client.sendHeartbeat(connector?.id ?? '');
    expect(nextHeartbeatSeconds).to.equal(5);
    await sandbox.fault('list:503');
    expect((await failure(() => statusesOf(sandbox))).status).to.equal(503);
    await sandbox.reset();
    expect(await statusesOf(sandbox)).to.deep.equal([]);
  });

  it('can be closed twice', async () => {
    const sandbox = await start();
    await Promise.all([sandbox.close(), sandbox.close()]);
  });

  it('rejects with the reason when its port is taken', async () => {
    const port = Number(new URL((await start()).baseUrl).port);
    const {kind, message} = await failure(() => start({port}));
    expect(kind).to.equal('unavailable');
    expect(message).to.include(`Cannot listen on 127.0.0.1, port ${port}: listen EADDRINUSE`);
  });

  for (const [options, message] of [
    [{fault: 'list:503'}, /^A sandbox has no option fault; it has clock, faults, /],
    [{clock: 'slow'}, /^The option clock of a sandbox must be "frozen" or "running"\.$/],
    [{faults: 'list:503'}, /must be a list of strings/],
    [{faults: ['list:often']}, /^The fault "list:often" must have an effect/],
    [{heartbeatInterval: 10}, /must be a duration such as "10s"/],
    [{heartbeatInterval: '2d'}, /^A heartbeat interval of 172800 s is out of range/],
    [{port: 65_536}, /must be a whole number from 0 to 65535/],
    [{rate: 0}, /must be a whole number from 1 to 86400/],
    [{rate: 61}, /^With a rate of 61, connectors would have to send a heartbeat every 0\.98 s/],
    [{clock: 'frozen', rate: 2}, /^A rate has no effect on a frozen clock/],
    [{seed: -1}, /must be a whole number from 0 on/],
  ] as const) {
    it(`rejects ${JSON.stringify(options)} with the reason`, async () => {
      const error = await failure(() => start(options as SandboxOptions));
      expect(error.kind).to.equal('usage');
      expect(error.message).to.match(message);
    });
  }
});
