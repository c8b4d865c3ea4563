import {randomUUID} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {expect} from 'chai';
import {generate} from 'selfsigned';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {StoreError} from '../../../src/store/store.js';
import {runCli} from '../../support/command/run-cli.js';
import {certificate, privateKey} from '../../support/network/certificates.js';
import {closedPort} from '../../support/network/ports.js';
import {fast, PostgresCluster} from '../../support/postgres/cluster.js';
import {runChild} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {rejection, start} from '../../support/store/samples.js';
import {suiteDirectory} from '../../support/temporary-directory.js';

const password = 'sesame/open?now@once';

describe('the login at a PostgreSQL server', function () {
  this.timeout(180_000);
  let withTls: PostgresCluster;
  let without: PostgresCluster;
  const at = suiteDirectory(() => Promise.all([withTls?.remove(), without?.remove()]));
  /** The certificate authority of the server, and an unrelated one. */
  let own: string;
  let foreign: string;

  before(async () => {
    own = await writePem('own.pem', certificate);
    const pems = await generate([{name: 'commonName', value: 'db.example'}], {keyType: 'ec'});
    foreign = await writePem('foreign.pem', pems.cert);
    [withTls, without] = await Promise.all([PostgresCluster.make(), PostgresCluster.make(fast)]);
    withTls.configure({
      ssl: 'on',
      ssl_cert_file: `'${withTls.addFile('cert.pem', certificate)}'`,
      ssl_key_file: `'${withTls.addFile('key.pem', privateKey)}'`,
    });
    await Promise.all([withTls.start(), without.start()]);
    await withTls.query(`CREATE ROLE locked LOGIN PASSWORD '${password}'`);
    await withTls.query('CREATE DATABASE locked OWNER locked');
    await without.query("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0");
  });

  const writePem = async (name: string, pem: string): Promise<string> => {
    await writeFile(at(name), pem);
    return at(name);
  };

  const openAt = (url: string) =>
    openPostgresStore(url, {log: new RecordedLog(), now: () => start});

  /** Whether the store's connection is encrypted. */
  const usesTls = async (server: PostgresCluster, parameters: string): Promise<boolean> => {
    // PostgreSQL shows a closed connection for a moment longer, so each has its own name.
    const name = randomUUID();
    const store = await openAt(server.url('postgres', `?application_name=${name}&${parameters}`));
    const [row] = await server.query<{ssl: boolean}>(
      `SELECT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity AS a ON a.pid = s.pid
       WHERE a.application_name = '${name}'`,
    );
    await store.close();
    return row!.ssl;
  };

  const failure = async (opening: Promise<unknown>): Promise<StoreError> => {
    const error = await rejection(opening);
    if (error instanceof StoreError) return error;
    throw error;
  };

  it('is encrypted when sslmode asks for it; on this machine it need not', async () => {
    expect(await usesTls(withTls, '')).to.equal(false);
    expect(await usesTls(withTls, 'sslmode=require')).to.equal(true);
    expect(await usesTls(withTls, 'sslmode=disable')).to.equal(false);
  });

  it('verifies the server with the given certificate authority', async () => {
    expect(await usesTls(withTls, `sslmode=verify-full&sslrootcert=${own}`)).to.equal(true);
    expect(await usesTls(withTls, `sslmode=require&sslrootcert=${own}`)).to.equal(true);
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const url = withTls.url('postgres', `?sslmode=${mode}&sslrootcert=${foreign}`);
      expect((await failure(openAt(url))).message).to.match(/certificate/);
    }
    const nobody = await failure(openAt(withTls.url('postgres', '?sslmode=verify-ca')));
    expect(nobody.message).to.equal('sslmode=verify-ca needs the authority in sslrootcert.');
    const unnamed = await failure(openAt(withTls.url('postgres', '?sslmode=verify-full')));
    expect(unnamed.message).to.match(/self-signed certificate/);
  });

  it('checks the host name of the server with verify-full only', async () => {
    const other = (mode: string) =>
      withTls.url('postgres', `?sslmode=${mode}&sslrootcert=${own}&application_name=asked`);
    // The certificate names 127.0.0.1, but not other spellings of that address.
    const spelled = (mode: string) => other(mode).replace('127.0.0.1', '127.1');
    expect((await failure(openAt(spelled('verify-full')))).message).to.match(/altnames/);
    await (await openAt(spelled('verify-ca'))).close();
  });

  it('takes the password from the URL or from the environment', async () => {
    const url = `postgres://locked:${encodeURIComponent(password)}@127.0.0.1:${withTls.port}/locked`;
    await (await openAt(url)).close();
    const {code, stdout} = await runCli(
      ['key', 'list', '--json', '--store', `postgres://locked@127.0.0.1:${withTls.port}/locked`],
      {env: {PGPASSWORD: password}},
    );
    expect({code, stdout}).to.deep.equal({code: 0, stdout: '[]\n'});
  });

  it("takes the password from libpq's password file, without a warning of Node.js", async () => {
    const file = at('pgpass');
    await writeFile(file, `*:*:*:locked:${password}\n`, {mode: 0o600});
    const store = `postgres://locked@127.0.0.1:${withTls.port}/locked`;
    const env = {PGPASSFILE: file};
    const {code, stderr} = await runChild(['key', 'list', '--json', '--store', store], {env});
    expect([code, stderr]).to.deep.equal([0, '']);
  });

  it('fails immediately with a wrong password, and does not reveal it', async () => {
    const wrong = 'swordfish';
    const url = `postgres://locked:${wrong}@127.0.0.1:${withTls.port}/locked`;
    const error = await failure(openAt(url));
    expect(error.kind).to.equal('misconfigured');
    const {code, stdout, stderr} = await runChild(['serve', '--port', '0', '--store', url], {
      env: {CONNECTORCTL_DEBUG: '1'},
    });
    expect(code).to.equal(2);
    expect(stderr).to.include('password authentication failed for user "locked"');
    expect(stdout + stderr + error.stack).to.not.include(wrong);
  });

  it('does not show its password in the process list', async () => {
    const url = `postgres://ada:sesame@127.0.0.1:${await closedPort()}/connectors`;
    const service = liveChild(['serve', '--port', '0', '--store', url]);
    await service.until(/waiting for the database/);
    const shown = await readFile(`/proc/${service.pid}/cmdline`, 'utf8');
    service.signal('SIGTERM');
    expect(await service.ended()).to.deep.equal({code: 0, signal: null});
    expect(shown).to.include('serve').and.not.include('sesame');
    expect(service.stdout() + service.stderr()).to.not.include('sesame');
  });

  const refused: Readonly<Record<string, readonly [url: () => string, says: string]>> = {
    'a server without TLS where sslmode requires it': [
      () => without.url('postgres', '?sslmode=require'),
      'offers no TLS, but sslmode requires it',
    ],
    'a certificate file that cannot be read': [
      () => withTls.url('postgres', '?sslmode=verify-ca&sslrootcert=/missing.pem'),
      'sslrootcert cannot be read: ENOENT',
    ],
    'no password where one is required': [
      () => `postgres://locked@127.0.0.1:${withTls.port}/locked`,
      'requires a password. Set PGPASSWORD',
    ],
    'a database that does not exist': [
      () => withTls.url('nowhere'),
      'database "nowhere" does not exist',
    ],
    'a database whose encoding is not UTF-8': [
      () => without.url('old'),
      'keeps text as LATIN1; the store needs UTF8',
    ],
  };
  for (const [what, [url, says]] of Object.entries(refused)) {
    it(`fails immediately with ${what}`, async () => {
      const error = await failure(openAt(url()));
      expect(error.kind).to.equal('misconfigured');
      expect(error.message).to.include(says);
    });
  }

  it('works over a Unix socket', async () => {
    const socket = encodeURIComponent(withTls.socketDirectory);
    await (await openAt(`postgres://postgres@${socket}:${withTls.port}/postgres`)).close();
  });
});
