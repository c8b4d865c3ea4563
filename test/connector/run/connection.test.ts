import {chmodSync, renameSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import type {Client} from '../../../src/client/types.js';
import {type Connection, LiveConnection} from '../../../src/connector/run/connection.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the credentials file of a running process', () => {
  const at = temporaryDirectory();
  const {write} = process.stderr;
  let said: string[];
  let isReadable: boolean;
  let keys: string[];

  beforeEach(() => {
    said = [];
    isReadable = true;
    keys = [];
    process.stderr.write = (text) => said.push(String(text)) > 0;
  });
  afterEach(() => {
    process.stderr.write = write;
  });

  const connectionOf = (fileKey: string): Connection => ({
    id: 'con_1',
    fileKey,
    timeout: 1000,
    client: {} as Client,
  });
  /** A process that has read its file, which has the key `old`. */
  const open = () => {
    writeFileSync(at('file'), 'old');
    const readAgain = async () => {
      if (!isReadable) throw new Error('permission denied');
      keys.push('read');
      return connectionOf('new');
    };
    return new LiveConnection(connectionOf('old'), readAgain, at('file'));
  };
  const replace = () => {
    writeFileSync(at('next'), 'new');
    renameSync(at('next'), at('file'));
  };

  it('is read again once it is replaced, and only then', async () => {
    const connection = open();
    expect(await connection.renew()).to.equal(false);
    expect(keys).to.deep.equal([]);
    replace();
    expect([await connection.renew(), await connection.renew()]).to.deep.equal([true, false]);
    expect(keys).to.have.length(1);
    expect(said).to.deep.equal(['The credentials file has another key; continuing as con_1.\n']);
  });

  it('is looked at again until it can be read, which is said once', async () => {
    const connection = open();
    isReadable = false;
    replace();
    expect([await connection.renew(), await connection.renew()]).to.deep.equal([false, false]);
    expect(said).to.deep.equal(['Continuing with the key read earlier: permission denied\n']);
    isReadable = true;
    expect(await connection.renew()).to.equal(true);
  });

  it('is read again when it was replaced after it was read, and before the first heartbeat', async () => {
    const readAgain = async () => connectionOf('new');
    const connection = new LiveConnection(connectionOf('old'), readAgain, at('file'), 'earlier');
    expect(await connection.renew()).to.equal(true);
  });

  it('is read again when only its time of change differs, as after chown or chmod', async () => {
    const connection = open();
    utimesSync(at('file'), new Date(), new Date(0));
    const next = new LiveConnection(
      connectionOf('old'),
      async () => connectionOf('new'),
      at('file'),
    );
    const {ctimeNs} = statSync(at('file'), {bigint: true});
    // Some file systems count the time of a change in ticks of milliseconds.
    while (statSync(at('file'), {bigint: true}).ctimeNs === ctimeNs) chmodSync(at('file'), 0o400);
    expect(await next.renew()).to.equal(true);
    expect(await connection.renew()).to.equal(true);
  });
});
