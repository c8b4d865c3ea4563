import {rmSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {enrollMachines} from '../../../src/connector/enroll/run.js';
import {AppError, type ErrorKind} from '../../../src/errors.js';
import {countOf, namesFrom} from '../../support/command/fleet-directory.js';
import {fakeIo} from '../../support/process/io.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('a run over a list of machines', () => {
  const at = temporaryDirectory();

  /**
   * Enrolls machines one at a time, unless told otherwise.
   *
   * @param respond called for each activation, from 1; throws what the service answers
   */
  const enroll = async (
    machines: number,
    respond: (activation: number) => void,
    {parallel = 1} = {},
  ) => {
    let activations = 0;
    const shown: (string | undefined)[] = [];
    const {results, stoppedBy} = await enrollMachines({
      client: {
        createToken: async () => ({token: 'token', expiresAt: ''}) as never,
        async activateConnector({name}) {
          activations += 1;
          respond(activations);
          const connector = {id: `id-of-${name}`, name};
          return {connector, credential: {field: 'key', value: 'key'}, raw: connector} as never;
        },
        listConnectors: () => {
          throw new Error('not expected');
        },
      },
      io: fakeIo({progress: (text) => () => shown.push(text())}),
      baseUrl: 'http://127.0.0.1:1',
      directory: at('out'),
      machines: namesFrom(machines).map((name, index) => ({
        ...{line: index + 2, name, file: `${name}.json`},
      })),
      parallel,
      isPreview: false,
      access: () => undefined,
      signal: new AbortController().signal,
    });
    return {counts: countOf(results), stoppedBy, activations, shown};
  };
  const fail = (kind: ErrorKind, status?: number) => {
    throw new AppError(kind, 'the service failed', {status});
  };

  for (const status of [401, 403]) {
    it(`stops at the first ${status}: the key is refused for every machine`, async () => {
      const {counts, stoppedBy, shown} = await enroll(50, (activation) => {
        if (activation > 10) fail('auth', status);
      });
      expect(shown).to.deep.equal(['50/50 machines, 1 failed or uncertain']);
      expect(counts).to.deep.equal({activated: 10, failed: 1, skipped: 39});
      expect(stoppedBy).to.include({kind: 'auth', status, message: 'the service failed'});
    });
  }

  for (const kind of ['unavailable', 'remote', 'not_found', 'protocol'] as const) {
    it(`stops after five errors of the service in a row (${kind}), and says how to go on`, async () => {
      const {counts, stoppedBy, activations} = await enroll(60, (activation) => {
        if (activation > 10) fail(kind);
      });
      expect(counts).to.include({activated: 10, skipped: 45});
      expect(activations).to.equal(15);
      expect(stoppedBy).to.include({
        kind,
        message:
          'The service failed 5 machines in a row; no more were started. The last error: the service failed',
        hint: 'Once the service works again, run the same command: it does what is left.',
      });
    });
  }

  it('waits for twice as many errors as machines are in progress', async () => {
    const {activations} = await enroll(60, () => fail('unavailable'), {parallel: 8});
    expect(activations).to.be.within(16, 23);
  });

  it('has lost the service when it failed every machine of a shorter list', async () => {
    expect(await enroll(1, () => fail('unavailable'))).to.deep.include({counts: {failed: 1}});
    expect((await enroll(3, () => fail('unavailable'))).stoppedBy).to.include({
      kind: 'unavailable',
    });
  });

  it('goes on when the service returns before too many machines in a row have failed', async () => {
    const {counts, stoppedBy} = await enroll(15, (activation) => {
      if (activation % 5 !== 1) fail('unavailable');
    });
    expect(counts).to.deep.equal({activated: 3, failed: 12});
    expect(stoppedBy).to.equal(undefined);
  });

  it('goes on after errors that concern one machine', async () => {
    const {counts, stoppedBy} = await enroll(15, () => fail('usage', 422));
    expect(counts).to.deep.equal({failed: 15});
    expect(stoppedBy).to.equal(undefined);
    writeFileSync(at('out', 'm-1.json'), 'of another program');
    expect((await enroll(15, () => {})).counts).to.deep.equal({activated: 14, failed: 1});
  });

  it('stops when its directory is gone, before each further connector loses its credentials', async () => {
    const {counts, stoppedBy, activations} = await enroll(20, (activation) => {
      if (activation === 5) rmSync(at('out'), {recursive: true, force: true});
    });
    expect(counts).to.deep.equal({activated: 4, uncertain: 1, skipped: 15});
    expect(activations).to.equal(5);
    expect(stoppedBy?.message).to.match(/Cannot write .*m-5\.json: no such file or directory/);
  });
});
