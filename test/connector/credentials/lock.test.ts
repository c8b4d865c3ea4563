import {readdirSync} from 'node:fs';
import {hostname} from 'node:os';
import {expect} from 'chai';
import {CredentialsFiles} from '../../../src/connector/credentials/files.js';
import {fakeIo} from '../../support/process/io.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {skippingClock} from '../../support/time/skipping-clock.js';

describe('the lock of a credentials file', () => {
  const at = temporaryDirectory();
  const io = fakeIo();

  it('is refused to the second after twelve seconds, naming the process that owns the file', async () => {
    const files = new CredentialsFiles(at('web-1.json'));
    const {signal} = new AbortController();
    const first = await files.lock('web-1', {signal, io});
    const {clock, waits} = skippingClock();
    const refused = await files.lock('other', {signal, io}, clock).catch((error: unknown) => error);
    expect(refused).to.include({
      kind: 'unavailable',
      message: `Process ${process.pid} on ${hostname()} is activating web-1 into ${files.path}; nothing was sent.`,
      hint: 'Wait until it ends, or choose another file with --credentials-file PATH.',
    });
    expect(io.written.stderr).to.deep.equal([
      `Process ${process.pid} is activating into ${files.path}; waiting for it.`,
    ]);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).to.be.above(12_000);
    await first.release();
    await (await files.lock('other', {signal, io})).release();
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('is not waited for after an interruption', async () => {
    const files = new CredentialsFiles(at('web-1.json'));
    const first = await files.lock('a', {signal: new AbortController().signal, io});
    const interrupt = new AbortController();
    const {clock} = skippingClock(() => interrupt.abort());
    const second = files.lock('b', {signal: interrupt.signal, io}, clock);
    const error = await second.catch((thrown: unknown) => thrown);
    expect(error).to.include({kind: 'cancelled', message: 'Canceled; nothing was sent.'});
    await first.release();
  });
});
