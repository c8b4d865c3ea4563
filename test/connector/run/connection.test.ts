import {rmSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import type {ClientErrorReason} from '../../../src/client/reasons.js';
import type {Client} from '../../../src/client/types.js';
import {CommandNotStarted, startFailureCode} from '../../../src/connector/run/command.js';
import {LiveConnection, mayRepeat} from '../../../src/connector/run/connection.js';
import type {ConnectionSource} from '../../../src/connector/run/flags.js';
import {AppError, type ErrorKind} from '../../../src/errors.js';
import {savedCredentials} from '../../support/command/credentials.js';
import {fakeIo} from '../../support/process/io.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the credentials file of a running process', () => {
  let path: string;
  let said: string[];
  let opened: number;
  const save = (key: string) =>
    writeFileSync(path, JSON.stringify(savedCredentials({api_key: key})), {mode: 0o600});

  beforeEach(() => {
    path = temporaryDirectory()('web-1.json');
    opened = 0;
    save('old');
  });

  /** A process that has read its file, which has the key `old`. @param origin where its key comes from */
  const open = async (origin: 'env' | 'file' = 'file') => {
    const io = fakeIo();
    const setting = {value: 'http://127.0.0.1:1', origin};
    const services = {
      settings: async () => ({baseUrl: setting, apiKey: {origin}, timeout: {...setting, value: 1}}),
      connect: async () => {
        opened += 1;
        return {sendHeartbeat: async () => ({})} as unknown as Client;
      },
    } as unknown as ConnectionSource['services'];
    const flags = {'credentials-file': path};
    const source = {id: undefined, command: undefined, flags, services, io};
    const connection = new LiveConnection(source, {begin: () => undefined});
    await connection.open(new AbortController().signal);
    said = io.written.stderr;
    opened = 0;
    return connection;
  };

  it('is used again once it has another key, and only then', async () => {
    const connection = await open();
    expect(await connection.renew()).to.equal(false);
    expect(opened).to.equal(0);
    save('new');
    await connection.send(new AbortController().signal);
    expect(await connection.renew()).to.equal(false);
    expect(opened).to.equal(1);
    expect(said).to.deep.equal(['The credentials file has another key; continuing as con_1.']);
  });

  it('is looked at again until it can be read, which is said once', async () => {
    const connection = await open();
    rmSync(path);
    expect([await connection.renew(), await connection.renew()]).to.deep.equal([false, false]);
    expect(said).to.deep.equal([`Continuing with the key read earlier: ${path} does not exist.`]);
    save('new');
    expect(await connection.renew()).to.equal(true);
  });

  it('is not read where the key comes from elsewhere', async () => {
    const connection = await open('env');
    rmSync(path);
    expect(await connection.renew()).to.equal(false);
    expect(said).to.deep.equal([]);
  });
});

describe('a first start that fails', () => {
  const cases: readonly (readonly [kind: ErrorKind, reason: ClientErrorReason, again: boolean])[] =
    [
      ['unavailable', 'connection-refused', true],
      ['unavailable', 'certificate-not-yet-valid', true],
      ...(['expired', 'invalid', 'self-signed', 'untrusted', 'wrong-host'] as const).map(
        (fault) => ['unavailable', `certificate-${fault}`, false] as const,
      ),
      ['unavailable', 'proxy-authentication-required', false],
      ['unavailable', 'operation-unsupported', false],
      ['unavailable', 'proxy-failed', true],
      ['unavailable', 'proxy-refused', false],
      ['unavailable', 'not-tls', false],
      ['remote', 'service-failed', true],
      ['protocol', 'body-incomplete', true],
      ['protocol', 'body-corrupt', true],
      ['protocol', 'response-invalid', false],
      ['auth', 'activation-token-rejected', false],
      ['conflict', 'activation-token-used', false],
      ['not_found', 'route-unknown', false],
      ['usage', 'base-url-invalid', false],
    ];
  it('has the exit code of env(1) for a command that cannot be started', () => {
    const codes = {ENOENT: 127, ERR_INVALID_ARG_VALUE: 127, EACCES: 126, EAGAIN: 124};
    for (const [code, exits] of Object.entries({...codes, ENOMEM: 124, EMFILE: 124, ENFILE: 124})) {
      const error = new CommandNotStarted('x', Object.assign(new Error(code), {code}));
      expect(startFailureCode(error), code).to.equal(exits);
    }
  });

  for (const [kind, reason, again] of cases) {
    it(`is ${again ? 'tried again' : 'over'} after ${reason}`, () => {
      const error = new AppError(kind, 'it failed', {reason});
      expect(mayRepeat(error)).to.equal(again);
      const isLasting = ['auth', 'conflict', 'not_found', 'usage'].includes(kind);
      expect(startFailureCode(error)).to.equal(isLasting ? 125 : 124);
    });
  }
});
