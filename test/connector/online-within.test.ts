import {expect} from 'chai';
import {readingOf} from '../../src/client/read/connector.js';
import type {Client} from '../../src/client/types.js';
import {evaluateConnectors} from '../../src/connector/check/evaluate.js';
import {readRules} from '../../src/connector/check/rule-flags.js';
import {listSelected} from '../../src/connector/list/selection.js';
import {
  isOnlineByWordAlone,
  onlineByWordAlone,
  withOnlineWithin,
} from '../../src/connector/online-within.js';
import {type OutputFormat, rendererOf} from '../../src/connector/output.js';
import {waitForStatus} from '../../src/connector/wait-for-status.js';
import type {JsonObject} from '../../src/domain/json.js';
import {fakeIo} from '../support/process/io.js';
import {skippingClock} from '../support/time/skipping-clock.js';
import {collect, now} from '../support/values/render.js';

const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

const listAs = async (output: OutputFormat, connectors: readonly JsonObject[]) =>
  collect(await (await rendererOf({output}, {io: fakeIo(), now: () => now}))(connectors));

/** The client of `--online-within 3m` at a service with these connectors; a wait sees them one after the other. */
function clientOf(...connectors: readonly JsonObject[]): Client {
  let index = 0;
  const client: Pick<Client, 'getConnector' | 'listConnectors'> = {
    getConnector: async () => readingOf(connectors[Math.min(index++, connectors.length - 1)] ?? {}),
    listConnectors: () => ({
      async *[Symbol.asyncIterator]() {},
      all: async ({atMost} = {}) => connectors.slice(0, atMost),
    }),
  };
  return withOnlineWithin(client as Client, 180_000, () => now);
}

const findings = async (...connectors: readonly JsonObject[]) => {
  const rules = readRules({}, true);
  const criteria = {rules, expected: undefined, allowUnexpected: false, name: undefined};
  return evaluateConnectors(
    await clientOf(...connectors)
      .listConnectors()
      .all(),
    criteria,
    now,
  );
};

describe('--online-within', () => {
  const words = ['connected', 'active', 'up', 'healthy', 'ready', 'running', 'online', undefined];

  it('makes every word of a service, and no word, the same in a check', async () => {
    const fleets = words.map((status) => [
      {id: '1', name: 'young', status, last_heartbeat_at: ago(180)},
      {id: '2', name: 'old', status, last_heartbeat_at: ago(181)},
      {id: '3', name: 'new', status, last_heartbeat_at: null},
      {id: '4', name: 'ahead', status, last_heartbeat_at: ago(-600)},
      {id: '5', name: 'gone', status: 'REVOKED', last_heartbeat_at: ago(10)},
    ]);
    const sent = fleets.map((fleet) =>
      fleet.map(({status, ...rest}) => (status === undefined ? rest : {...rest, status})),
    );
    const [first, ...others] = await Promise.all(sent.map((fleet) => findings(...fleet)));
    expect(first?.filter(({rule}) => rule).map(({id, subject}) => `${subject} ${id}`)).to.eql([
      'old offline',
      'new never',
      'ahead offline',
    ]);
    expect(first?.map(({id}) => id))
      .to.include('revoked')
      .and.not.include('contradicted');
    for (const other of others) expect(other).to.deep.equal(first);
  });

  it('filters and shows the statuses of a list, and leaves JSON to the service', async () => {
    const client = clientOf(
      {id: '1', name: 'a', state: 'up', last_heartbeat_at: ago(10)},
      {id: '2', name: 'b', state: 'up', last_heartbeat_at: ago(600)},
    );
    const {selected, contradicted} = await listSelected(
      client,
      {status: ['offline']},
      {now: () => now},
    );
    expect(contradicted).to.eql([]);
    const shown = async (format: 'csv' | 'json' | 'table') => listAs(format, selected);
    expect(await shown('table')).to.match(/^2 +b +offline/m);
    expect(await shown('csv')).to.include('2,b,offline');
    expect(JSON.parse(await shown('json'))).to.eql([
      {id: '2', name: 'b', state: 'up', last_heartbeat_at: ago(600)},
    ]);
  });

  it('refuses a filter for another status, which no connector can have', async () => {
    const client = clientOf({id: '1', state: 'up', last_heartbeat_at: ago(10)});
    const listed = listSelected(client, {status: ['up']}, {now: () => now});
    expect(await listed.catch((error: Error) => error.message)).to.equal('No such status: up');
  });

  for (const [what, value] of [
    ['sends none', undefined],
    ['sends one that cannot be read', 'recently'],
  ] as const) {
    it(`says that the last heartbeat is missing, at a service that ${what}`, async () => {
      const raw = {id: '1', status: 'online', ...(value && {last_heartbeat_at: value})};
      expect(await findings(raw).catch((error: Error) => error))
        .to.include({kind: 'protocol'})
        .and.property('message')
        .to.match(/^Cannot evaluate --online-within: .*last_heartbeat_at/);
    });
  }

  const waited = (...states: readonly JsonObject[]) => {
    const {clock} = skippingClock();
    const options = {status: 'online', limit: 5000};
    return waitForStatus(clientOf(...states), '1', options, fakeIo(), clock).catch(
      (error: unknown) => error,
    );
  };

  it('ends the wait of connector get with the first heartbeat, whatever the status', async () => {
    const states = [
      {id: '1', state: 'up'},
      {id: '1', state: 'up', last_heartbeat_at: ago(600)},
    ];
    const alive = {id: '1', state: 'down', last_heartbeat_at: ago(10)};
    expect(await waited(...states, alive)).to.include({status: 'online'});
    expect(await waited(...states)).to.include({
      kind: 'unavailable',
      message: '1 did not become online within 5 s: it is offline',
    });
  });

  it('ends the wait at once, as a check does, at a service that sends no last heartbeat', async () => {
    const [raw, alive] = [
      {id: '1', status: 'online'},
      {id: '1', last_heartbeat_at: ago(1)},
    ];
    const message = await findings(raw).then(String, (error: Error) => error.message);
    expect(await waited(raw)).to.include({kind: 'protocol', message});
    // Another connector has one, so this one only has to send it.
    expect(await waited(raw, alive)).to.include({status: 'online'});
  });
});

describe('the connectors of a list that are online by word alone', () => {
  it('are those whose times, read one by one, contradict the word', () => {
    const seconds = [
      -400, -301, -300, -299, -241, -239, -1, 0, 59, 3539, 3540, 3541, 3599, 3601, 172_900,
    ];
    const forms = seconds.flatMap((age) => {
      const text = ago(age);
      return [text, text.replace(/\.\d+Z/, 'Z'), text.replace('Z', '+02:00'), now / 1000 - age];
    });
    const connectors: JsonObject[] = [...forms, null, 'never', '0001-01-01T00:00:00Z'].flatMap(
      (at) => [
        {id: '1', status: 'online', next_heartbeat_seconds: 60, last_heartbeat_at: at},
        {id: '2', attributes: {state: 'Online', interval_seconds: 1, lastSeen: at}},
        {id: '3', status: 'offline', last_heartbeat_at: at},
      ],
    );
    const wanted = connectors.filter((raw) => isOnlineByWordAlone(readingOf(raw), now));
    expect(onlineByWordAlone(connectors, now)).to.deep.equal(wanted);
    expect(wanted.length).to.be.within(20, connectors.length / 2);
  });
});
