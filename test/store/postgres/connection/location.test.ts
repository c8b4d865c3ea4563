import {expect} from 'chai';
import fc from 'fast-check';
import {
  describeHost,
  describeLocation,
  parseLocation,
} from '../../../../src/store/postgres/connection/location.js';
import {StoreError} from '../../../../src/store/store.js';

const parse = (url: string, environment: Record<string, string> = {}) =>
  parseLocation(url, environment);

const hosts = (url: string, environment?: Record<string, string>) =>
  parse(url, environment).hosts.map(({host, port}) => `${host} ${port}`);

describe('the location of a PostgreSQL database', () => {
  it('is read from a URL', () => {
    expect(parse('postgres://ada:pass@db.example:6432/connectors')).to.deep.equal({
      hosts: [{host: 'db.example', port: 6432}],
      startsAnywhere: true,
      user: 'ada',
      password: 'pass',
      database: 'connectors',
      tls: {mode: 'prefer', authorities: undefined, certificate: undefined, key: undefined},
      connectTimeout: 3000,
      poolSize: 10,
      applicationName: 'connectorctl',
      options: undefined,
    });
  });

  it('may leave all its parts to the defaults of the driver', () => {
    const {hosts: found, user, password, database} = parse('postgresql://');
    expect({found, user, password, database}).to.deep.equal({
      found: [{host: 'localhost', port: 5432}],
      user: undefined,
      password: undefined,
      database: undefined,
    });
  });

  it('may name several hosts, with a port for each or one port for all', () => {
    expect(hosts('postgres://a:1,b:2,c/db')).to.deep.equal(['a 1', 'b 2', 'c 5432']);
    expect(hosts('postgres://a,b/db?port=7')).to.deep.equal(['a 7', 'b 7']);
    expect(hosts('postgres:///db?host=a,b&port=7,8')).to.deep.equal(['a 7', 'b 8']);
    expect(hosts('postgres://[::1]:9,[fe80::1]/db')).to.deep.equal(['::1 9', 'fe80::1 5432']);
  });

  it('has hosts that are tried from any of them on, unless they have an order', () => {
    const startsAnywhere = (parameters: string) =>
      parse(`postgres://a,b/db${parameters}`).startsAnywhere;
    expect(startsAnywhere('')).to.equal(true);
    expect(startsAnywhere('?load_balance_hosts=random')).to.equal(true);
    expect(startsAnywhere('?load_balance_hosts=disable')).to.equal(false);
    expect(() => startsAnywhere('?load_balance_hosts=round')).to.throw(StoreError);
  });

  it('may name the directory of a Unix socket', () => {
    const socket = ['/run/postgresql 5432'];
    expect(hosts('postgres://%2Frun%2Fpostgresql/db')).to.deep.equal(socket);
    expect(hosts('postgres:///db?host=/run/postgresql')).to.deep.equal(socket);
  });

  it("is completed from libpq's environment variables", () => {
    const environment = {
      PGHOST: 'a,b',
      PGPORT: '7',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: '/ca.pem',
      PGCONNECT_TIMEOUT: '9',
      PGAPPNAME: 'fleet',
    };
    const found = parse('postgres:///db', environment);
    expect(hosts('postgres:///db', environment)).to.deep.equal(['a 7', 'b 7']);
    expect(found.tls).to.deep.include({mode: 'verify-full', authorities: '/ca.pem'});
    expect(found).to.deep.include({connectTimeout: 9000, applicationName: 'fleet'});
    expect(hosts('postgres://c:8/db', environment)).to.deep.equal(['c 8']);
    expect(parse('postgres:///db?sslmode=disable', environment).tls.mode).to.equal('disable');
  });

  it('accepts any user and password, percent-encoded', () => {
    const word = fc.string({unit: 'binary', minLength: 1});
    fc.assert(
      fc.property(word, word, word, (user, password, database) => {
        const [u, p, d] = [user, password, database].map((text) => encodeURIComponent(text));
        expect(parse(`postgres://${u}:${p}@h/${d}`)).to.deep.include({user, password, database});
        expect(parse(`postgres://h?user=${u}&password=${p}&dbname=${d}`)).to.deep.include({
          user,
          password,
          database,
        });
      }),
    );
  });

  it('is described without user and password', () => {
    const location = parse('postgres://ada:sesame@a:1,[::1]/db?password=sesame');
    expect(describeLocation(location)).to.equal('a:1,[::1]:5432/db');
    expect(describeLocation(parse('postgres://ada:sesame@a'))).to.equal('a:5432');
    expect(describeHost({host: '/run', port: 1})).to.equal('/run:1');
  });

  for (const [url, why] of [
    ['postgres:/db', 'it does not have the form'],
    ['postgres://ada:sesame@h@i/db', 'it does not have the form'],
    ['postgres://ada:12/sesame@h/db', 'it does not have the form'],
    ['postgres://h:65536/db', 'a port is above 65535'],
    ['postgres://h:0/db', 'port is not a positive number'],
    ['postgres://h:x/db', 'a host does not have the form name:port'],
    ['postgres://a,b,c/db?port=1,2', 'it names 2 ports for 3 hosts'],
    ['postgres://ada:%ZZ@h/db', 'a percent sign in it'],
    ['postgres://h/db?sslmode=perhaps', 'sslmode must be one of disable, allow, prefer'],
    ['postgres://h/db?target_session_attrs=standby', 'target_session_attrs must be one of any'],
    ['postgres://h/db?sesame=1', 'parameter must be one of host, port'],
    ['postgres://h/db?sesame', 'a parameter after the question mark has no value'],
    ['postgres://h/db?pool_max_conns=0', 'pool_max_conns is not a positive number'],
    ['postgres://h/db?citus_workers=direct', 'citus_workers no longer exists'],
    ['postgres://h/db?connect_timeout=1.5', 'connect_timeout is not a positive number'],
  ] as const) {
    it(`is rejected without echoing the URL ${url}: ${why}`, () => {
      expect(() => parse(url))
        .to.throw(StoreError, why)
        .that.satisfies(({kind, message}: StoreError) => {
          return kind === 'misconfigured' && !message.includes('sesame');
        });
    });
  }
});
