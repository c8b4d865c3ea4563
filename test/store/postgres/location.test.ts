import {expect} from 'chai';
import fc from 'fast-check';
import {describeLocation, parseLocation} from '../../../src/store/postgres/location.js';
import {StoreError} from '../../../src/store/store.js';
import {anyCharacter} from '../../support/values/any-character.js';

const parse = (url: string, environment: Record<string, string> = {}) =>
  parseLocation(url, environment);

const serverOf = (url: string, environment?: Record<string, string>) => {
  const {host, port} = parse(url, environment);
  return `${host} ${port}`;
};

describe('the location of a PostgreSQL database', () => {
  it('is read from a URL', () => {
    const {settings, ...found} = parse('postgres://ada:pass@db.example:6432/connectors');
    expect(String(settings)).to.equal('sslmode=verify-full');
    expect(found).to.deep.equal({
      host: 'db.example',
      port: 6432,
      user: 'ada',
      password: 'pass',
      database: 'connectors',
      connectTimeout: 3000,
      poolSize: 10,
      applicationName: 'connectorctl',
      options: undefined,
    });
  });

  it('may leave all its parts to the defaults of the driver', () => {
    const {host, port, user, password, database} = parse('postgresql://');
    expect({host, port, user, password, database}).to.deep.equal({
      host: 'localhost',
      port: 5432,
      user: undefined,
      password: undefined,
      database: undefined,
    });
  });

  it('may be an address, or the directory of a Unix socket', () => {
    expect(serverOf('postgres://[::1]:9/db')).to.equal('::1 9');
    expect(serverOf('postgres://[fe80::1]/db')).to.equal('fe80::1 5432');
    expect(serverOf('postgres://%2Frun%2Fpostgresql/db')).to.equal('/run/postgresql 5432');
    expect(serverOf('postgres:///db?host=/run/postgresql')).to.equal('/run/postgresql 5432');
  });

  it('takes a host that the URL omits, or names twice, as libpq does', () => {
    for (const [url, server] of [
      ['postgres://ada@/db?host=/run/postgresql', '/run/postgresql 5432'],
      ['postgres://ada@localhost/db?host=/run/postgresql', '/run/postgresql 5432'],
      ['postgres://ada:pass@:7/db?host=/run', '/run 7'],
      ['postgres://ada@', 'localhost 5432'],
      ['postgres://:7/db', 'localhost 7'],
      ['postgres://:7@h/db', 'h 5432'],
    ] as const) {
      expect(serverOf(url), url).to.equal(server);
    }
    expect(serverOf('postgres://ada@/db', {PGHOST: 'a', PGPORT: ''})).to.equal('a 5432');
    expect(parse('postgres://ada:pass@/db')).to.include({
      user: 'ada',
      password: 'pass',
      database: 'db',
    });
  });

  for (const [variable, value, why] of [
    ['PGSSLMODE', 'prefer', 'PGSSLMODE must be one of disable, require'],
    ['PGCONNECT_TIMEOUT', '0', 'PGCONNECT_TIMEOUT is not a positive number'],
    ['PGPORT', 'x', 'PGPORT is not a positive number'],
  ] as const) {
    it(`names ${variable} when its value ${value} cannot be used`, () => {
      expect(() => parse('postgres://h/db', {[variable]: value})).to.throw(StoreError, why);
    });
  }

  it('needs a verified certificate unless it is on this machine or the URL says otherwise', () => {
    const modeOf = (url: string, environment?: Record<string, string>) =>
      parse(url, environment).settings.get('sslmode');
    for (const host of ['localhost', '127.0.0.1', '[::1]', '%2Frun', '']) {
      expect(modeOf(`postgres://${host}/db`)).to.equal('disable');
    }
    for (const host of ['db', 'localhost.example', '127.example.org', '10.0.0.1', '[::2]']) {
      expect(modeOf(`postgres://${host}/db`)).to.equal('verify-full');
    }
    expect(modeOf('postgres://db/db?sslmode=require')).to.equal('require');
    expect(modeOf('postgres://db/db', {PGSSLMODE: 'disable'})).to.equal('disable');
  });

  it("is completed from libpq's environment variables", () => {
    const environment = {
      PGHOST: 'a',
      PGPORT: '7',
      PGSSLMODE: 'verify-ca',
      PGSSLROOTCERT: '/ca.pem',
      PGCONNECT_TIMEOUT: '9',
      PGAPPNAME: 'fleet',
    };
    const found = parse('postgres:///db', environment);
    expect(found).to.deep.include({host: 'a', port: 7});
    expect(found.settings.get('sslmode')).to.equal('verify-ca');
    expect(found.settings.get('sslrootcert')).to.equal('/ca.pem');
    expect(found).to.deep.include({connectTimeout: 9000, applicationName: 'fleet'});
    expect(serverOf('postgres://c:8/db', environment)).to.equal('c 8');
    const {settings} = parse('postgres:///db?sslmode=disable', environment);
    expect(settings.get('sslmode')).to.equal('disable');
  });

  it('accepts any user, password and database, percent-encoded', () => {
    const word = fc.string({unit: anyCharacter, minLength: 1});
    fc.assert(
      fc.property(word, word, word, (user, password, database) => {
        const [u, p, d] = [user, password, database].map((text) => encodeURIComponent(text));
        const dots = /^\.{1,2}$/.test(database);
        if (dots) return;
        expect(parse(`postgres://${u}:${p}@h/${d}`)).to.deep.include({user, password, database});
      }),
    );
  });

  it('is described without user and password', () => {
    const location = parse('postgres://ada:sesame@[::1]/db');
    expect(describeLocation(location)).to.equal('[::1]:5432/db');
    expect(describeLocation(parse('postgres://ada:sesame@a'))).to.equal('a:5432');
    expect(describeLocation(parse('postgres:///db?host=/run'))).to.equal('/run:5432/db');
  });

  for (const [url, why] of [
    ['postgres://ada:12/sesame@h/db', 'it does not have the form'],
    ['postgres://ada:12#sesame@h/db', 'it does not have the form'],
    ['postgres://ada:sesame#@h/db', 'it does not have the form'],
    ['postgres://h:65536/db', 'it does not have the form'],
    ['postgres://h:x/db', 'it does not have the form'],
    ['postgres://h:0/db', 'port is not a positive number'],
    ['postgres://a,b/db', 'it names several hosts; name the primary, or the proxy'],
    ['postgres:///db?host=a,b', 'it names several hosts'],
    ['postgres://ada:%ZZ@h/db', 'a percent sign in it'],
    ['postgres://h/db?sslmode=prefer', 'sslmode must be one of disable, require, verify-ca'],
    ['postgres://h/db?sesame=1', 'a parameter must be one of host, sslmode'],
    ['postgres://ada:12?sesame@h/db', 'a parameter must be one of host, sslmode'],
    ['postgres://h/db?pool_max_conns=0', 'pool_max_conns is not a positive number'],
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
