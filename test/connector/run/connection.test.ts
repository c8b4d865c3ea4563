import {expect} from 'chai';
import type {Client} from '../../../src/client/types.js';
import {type Connection, LiveConnection} from '../../../src/connector/run/connection.js';

describe('the credentials file of a running process', () => {
  let said: string[];
  let key: string | undefined;
  let opened: number;
  const note = (line: string) => void said.push(line);

  beforeEach(() => {
    said = [];
    key = 'old';
    opened = 0;
  });

  const connectionOf = (fileKey: string | undefined): Connection => ({
    id: 'con_1',
    fileKey,
    timeout: 1000,
    client: {} as Client,
  });
  /** A process that has read its file, which has the key `old`. */
  const open = () => {
    const readKey = async () => {
      if (key === undefined) throw new Error('permission denied');
      return key;
    };
    const openAgain = async () => {
      opened += 1;
      return connectionOf(key);
    };
    return new LiveConnection(connectionOf('old'), openAgain, readKey, {note});
  };

  it('is used again once it has another key, and only then', async () => {
    const connection = open();
    expect(await connection.renew()).to.equal(false);
    expect(opened).to.equal(0);
    key = 'new';
    expect([await connection.renew(), await connection.renew()]).to.deep.equal([true, false]);
    expect(opened).to.equal(1);
    expect(said).to.deep.equal(['The credentials file has another key; continuing as con_1.']);
  });

  it('is looked at again until it can be read, which is said once', async () => {
    const connection = open();
    key = undefined;
    expect([await connection.renew(), await connection.renew()]).to.deep.equal([false, false]);
    expect(said).to.deep.equal(['Continuing with the key read earlier: permission denied']);
    key = 'new';
    expect(await connection.renew()).to.equal(true);
  });

  it('is not read where the key comes from elsewhere', async () => {
    const unexpected = () => expect.fail('read');
    const connection = new LiveConnection(connectionOf(undefined), unexpected, unexpected, {note});
    expect(await connection.renew()).to.equal(false);
  });
});
