import {expect} from 'chai';
import * as suite from '../../src/conformance/suite.js';
import type {Finding, FindingStatus} from '../../src/domain/check/findings.js';
import {virtualTime} from '../../src/sandbox/conformance.js';
import {fakeIo} from '../support/process/io.js';
import {type RunningSandbox, startSandbox} from '../support/server/sandbox.js';
import {closeThirdPartyServices, type Seen, thirdPartyService} from '../support/third-party.js';

interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

type Upstream = (change?: Partial<Seen>) => Promise<Reply>;

/** One thing that a service does wrong: what it responds in place of the reference service. */
type Wrong = (seen: Seen, upstream: Upstream) => Promise<Reply>;

const isList = ({path, method}: Seen) => path === '/api/connectors' && method === 'GET';
const isCreate = ({path}: Seen) => path.endsWith('/create-token');
const isActivate = ({path}: Seen) => path.endsWith('/activate');
const isBeat = ({path}: Seen) => path.endsWith('/heartbeat');
const isGet = ({method, path}: Seen) =>
  method === 'GET' && /^\/api\/connectors\/[^/?]+$/.test(path);

const ok = (body: unknown, status = 200): Reply => ({
  status,
  body: JSON.stringify(body),
  headers: {
    'content-type': 'application/json',
    'connectorctl-clock': 'virtual',
    'cache-control': 'no-store',
  },
});

/** Changes the responses to some requests. */
const changed =
  (
    isMeant: (seen: Seen, reply: Reply) => boolean,
    change: (reply: Reply, seen: Seen) => Partial<Reply>,
  ): Wrong =>
  async (seen, upstream) => {
    const reply = await upstream();
    return isMeant(seen, reply) ? {...reply, ...change(reply, seen)} : reply;
  };

/** Responds otherwise where the service responds with a status. */
const answering = (status: number, reply: Reply, isMeant: (seen: Seen) => boolean = () => true) =>
  changed(
    (seen, upstream) => upstream.status === status && isMeant(seen),
    () => reply,
  );

/** Responds in place of the service, which does not see the request. */
const instead =
  (isMeant: (seen: Seen) => boolean, reply: Reply): Wrong =>
  async (seen, upstream) =>
    isMeant(seen) ? reply : upstream();

/** Changes the JSON of successful responses to some requests. */
const rewrite = (
  isMeant: (seen: Seen) => boolean,
  change: (body: never, seen: Seen) => unknown,
): Wrong =>
  changed(
    (seen, {status}) => isMeant(seen) && status < 300,
    ({body}, seen) => ({body: JSON.stringify(change(JSON.parse(body) as never, seen))}),
  );

/** Changes each connector of the list. */
const relist = (change: (one: Fields, index: number, all: readonly Fields[]) => unknown) =>
  rewrite(isList, (body: Fields[]) => body.map(change));

/** Changes each connector wherever it is shown. */
const reshow = (isMeant: (seen: Seen) => boolean, change: (one: Fields) => unknown) =>
  rewrite(isMeant, (body: Fields | Fields[]) =>
    Array.isArray(body) ? body.map(change) : change(body),
  );

type Fields = Record<string, string>;

const keyOf = ({headers}: Seen) => headers['authorization'] ?? '';
const isOwnBeat = (seen: Seen) => isBeat(seen) && keyOf(seen).startsWith('Bearer cck_');
const isRefusedActivation = (seen: Seen, {status}: Reply) => isActivate(seen) && status >= 400;
const another = ok({id: 'con_x', name: 'x'}, 201);
const failed = ok({error: 'no'}, 500);
/** No response: the connection is reset. */
const reset: Reply = {status: 0, body: '', headers: {}};
const unbroken: Wrong = (_, upstream) => upstream();

/** Adds to connectors the API keys that their activations returned. */
const showingKeys = (isMeant: (seen: Seen) => boolean): Wrong => {
  const keys = new Map<unknown, unknown>();
  const shown = reshow(isMeant, (one) => ({...one, api_key: keys.get(one['id'])}));
  return async (seen, upstream) => {
    const reply = await shown(seen, upstream);
    if (isActivate(seen) && reply.status === 201) {
      const {id, api_key} = JSON.parse(reply.body);
      keys.set(id, api_key);
    }
    return reply;
  };
};

/** Sends further requests with the key of the organization after some responses. */
const alsoSending = (
  send: (seen: Seen, reply: Reply, upstream: Upstream, headers: Seen['headers']) => Promise<void>,
): Wrong => {
  let key = {};
  return async (seen, upstream) => {
    if (isCreate(seen)) key = {authorization: seen.headers['authorization']};
    const reply = await upstream();
    await send(seen, reply, upstream, key);
    return reply;
  };
};

const withShortTokens = (): Wrong => {
  const tokens: string[] = [];
  const create = rewrite(isCreate, ({token = '', ...body}: Fields) => ({
    ...body,
    token: `tok${tokens.push(token) - 1}`,
  }));
  return (seen, upstream) => {
    const body = seen.body.replace(/(?<="token":")tok(\d+)/, (short, at) => tokens[at] ?? short);
    return isActivate(seen) ? upstream({body}) : create(seen, upstream);
  };
};

const makingConnectorsInSpite = () =>
  alsoSending(async (seen, {status}, upstream, headers) => {
    if (!isActivate(seen) || status !== 409) return;
    const made = await upstream({path: '/api/connectors/create-token', body: '', headers});
    const {token} = JSON.parse(made.body);
    await upstream({body: JSON.stringify({...JSON.parse(seen.body), token}), headers: {}});
  });

const beatingForAll = () => {
  const ids: string[] = [];
  return alsoSending(async (seen, reply, upstream, headers) => {
    if (isActivate(seen) && reply.status === 201) ids.push(JSON.parse(reply.body).id);
    if (!isBeat(seen) || reply.status >= 300) return;
    for (const id of ids) await upstream({path: `/api/connectors/${id}/heartbeat`, headers});
  });
};

/** Sends the list in pages of two, without the second. */
const droppingPage: Wrong = async (seen, upstream) => {
  const {pathname, searchParams} = new URL(seen.path, 'http://localhost');
  if (!isList({...seen, path: pathname})) return upstream();
  const reply = await upstream({path: pathname});
  if (reply.status !== 200) return reply;
  const page = Number(searchParams.get('page') ?? 1);
  const next = page === 1 ? 3 : page + 1;
  const all: unknown[] = JSON.parse(reply.body);
  const items = all.slice((page - 1) * 2, page * 2);
  const hasNext = (next - 1) * 2 < all.length;
  return {...reply, body: JSON.stringify({items, ...(hasNext && {next_page: next})})};
};

const withSameId = () => {
  let first: string | undefined;
  return rewrite(isActivate, ({id, ...body}: Fields) => {
    first ??= id;
    return {...body, id: first};
  });
};

const listingAll = () => {
  let all: Fields[] = [];
  return rewrite(isList, (body: Fields[]) => {
    if (body.length > all.length) all = body;
    return all;
  });
};

const onlyFirstBeat = () => {
  let count = 0;
  return instead((seen) => isOwnBeat(seen) && ++count > 1, ok({}));
};

/** Activates connectors without a name too, and shows them without one. */
const activatingNameless =
  (isShownNameless = (name = ''): boolean => name === 'nameless'): Wrong =>
  async (seen, upstream) => {
    const isNameless = isActivate(seen) && /^{"token":"[^"]*"}$/.test(seen.body);
    if (isNameless) return upstream({body: seen.body.replace('}', ',"name":"nameless"}')});
    return reshow(
      (one) => isList(one) || isGet(one),
      (one) => (isShownNameless(one['name']) ? {...one, name: null} : one),
    )(seen, upstream);
  };

const resettingSecondToken = () => {
  let count = 0;
  return instead((seen) => isCreate(seen) && keyOf(seen) !== '' && ++count === 2, reset);
};

/** Shows the time of a heartbeat as PHP's `json_encode` writes a DateTime. */
const timesAsObjects = () =>
  reshow(
    (seen) => isList(seen) || isGet(seen),
    ({last_heartbeat_at: time, ...one}) => ({
      ...one,
      last_heartbeat_at: time && {date: time, timezone_type: 3, timezone: 'UTC'},
    }),
  );

const withCredential = (field: string, credential: (key: string) => string) =>
  rewrite(isActivate, ({api_key = '', ...one}: Fields) => ({...one, [field]: credential(api_key)}));

/** What each service does wrong, and the checks that fail. */
const services: Readonly<Record<string, readonly [wrong: () => Wrong, failing: string]>> = {
  'keeps to the interface': [() => unbroken, ''],
  'sends times without a Z': [
    () =>
      rewrite(isCreate, (body: Fields) => ({
        ...body,
        expires_at: body['expires_at']?.replace('Z', ''),
      })),
    '4.1/expires-at',
  ],
  'calls the token by another name': [
    () => rewrite(isCreate, ({token, ...body}: Fields) => ({...body, value: token})),
    '4.1/token',
  ],
  'returns short tokens': [withShortTokens, '4.1/unguessable'],
  'accepts any token': [
    () => answering(400, another, (seen) => isActivate(seen) && /nobody-issued/.test(seen.body)),
    '4.2/unknown-token',
  ],
  'accepts used tokens': [() => answering(409, another), '4.2/simultaneous-use 4.2/single-use'],
  'refuses used tokens and makes the connector': [
    makingConnectorsInSpite,
    '4.2/refused-makes-none',
  ],
  'accepts expired tokens': [() => answering(410, another), '4.1/expires'],
  'cuts names': [
    () =>
      reshow(
        (seen) => isList(seen) || isGet(seen),
        (one) => ({...one, name: one['name']?.slice(0, 6)}),
      ),
    '4.2/name-kept',
  ],
  'leaves connectors out of the list': [
    () => rewrite(isList, (body: Fields[]) => body.slice(1)),
    '4.3/complete',
  ],
  'drops a page of the list': [() => droppingPage, '4.3/complete'],
  'activates the same connector each time': [withSameId, '4.2/new-id'],
  'announces a page that it does not have': [
    () => rewrite(isList, (items: Fields[]) => ({items, has_more: true})),
    '4.3/lists',
  ],
  'lists the connectors of all organizations': [listingAll, '4.3/isolation'],
  'has numeric ids in the list': [
    () => relist(({id, ...one}, index) => ({...one, connector_id: id, id: index})),
    '2/id 4.3/complete 4.4/listed-id',
  ],
  'lists every connector with the id of the first': [
    () => relist((one, _, all) => ({...one, id: all[0]?.['id']})),
    '4.3/complete 4.3/unique-ids 4.4/listed-id',
  ],
  'lists an id for the first connector only': [
    () => relist(({id, ...one}, at) => (at === 0 ? {id, ...one} : {connector_id: id, ...one})),
    '2/id',
  ],
  'lists a name for the first connector only': [
    () => relist(({name, ...one}, at) => (at === 0 ? {name, ...one} : one)),
    '2/name',
  ],
  'shows credentials in the list': [() => showingKeys(isList), '4.3/no-credentials'],
  'shows its credential in the details of a connector': [
    () => showingKeys(isGet),
    '4.3/no-credentials',
  ],
  'lists other ids each time': [
    () => relist((one) => ({...one, id: `con_${Math.random()}`})),
    '4.3/complete 4.4/listed-id',
  ],
  'returns 200 for unknown ids': [
    () => answering(404, ok({error: 'not found'}), isGet),
    '4.4/unknown-id 7/status',
  ],
  'ignores heartbeats': [() => instead(isOwnBeat, ok({})), '4.5/effect'],
  'calls a connector online for ever': [
    () =>
      reshow(
        (seen) => isList(seen) || isGet(seen),
        (one) => ({...one, status: 'online'}),
      ),
    '4.5/ages',
  ],
  'counts only the first heartbeat': [onlyFirstBeat, '4.5/effect'],
  'refuses heartbeats': [() => instead(isBeat, failed), '4.5/accepts'],
  'takes a heartbeat as one of all connectors': [beatingForAll, '4.5/only-own'],
  'sends web pages as errors': [
    () =>
      changed(
        (_, {status}) => status >= 400,
        ({headers}) => ({
          body: '<!doctype html><p>Error</p>',
          headers: {...headers, 'content-type': 'text/html'},
        }),
      ),
    '7/readable',
  ],
  'sends errors as 200': [
    () => changed(isRefusedActivation, () => ok({error: {message: 'refused'}})),
    '4.2/invalid-json 7/status',
  ],
  'sends JSON as text': [
    () =>
      changed(
        () => true,
        ({headers}) => ({headers: {...headers, 'content-type': 'text/plain'}}),
      ),
    'http/content-type',
  ],
  'begins its JSON with a byte order mark': [
    () =>
      changed(
        (_, {body}) => body !== '',
        ({body}) => ({body: `\ufeff${body}`}),
      ),
    'http/utf-8',
  ],
  'knows only Bearer with a capital B': [
    () => instead((seen) => /^(?!Bearer )./.test(keyOf(seen)), ok({error: 'no key'}, 401)),
    '5/scheme-case',
  ],
  'needs no key to list': [
    () => instead((seen) => isList(seen) && keyOf(seen) === '', ok([])),
    '5/needs-key',
  ],
  'accepts any key': [
    () => instead((seen) => isList(seen) && keyOf(seen).includes('nobody-issued'), ok([])),
    '5/wrong-key',
  ],
  'accepts a revoked key': [
    () => instead((seen) => isList(seen) && keyOf(seen) === 'Bearer revoked-key', ok([])),
    '5/revoked-key',
  ],
  'activates a connector without a name': [() => activatingNameless(), ''],
  'activates a connector without a name, and loses the names of others': [
    () => activatingNameless(() => true),
    '2/name',
  ],
  'resets the connection at a second request for a token': [resettingSecondToken, '4.1/new-token'],
  'resets the connection at an activation without a token': [
    () => instead((seen) => isActivate(seen) && seen.body.startsWith('{"name"'), reset),
    '4.2/needs-token',
  ],
  'resets the connection at a token that is no string': [
    () => instead(({body}) => body.startsWith('{"token":true'), reset),
    '4.2/token-type',
  ],
  'resets the connection at invalid JSON': [
    () => instead(({body}) => body === '{"token": ', reset),
    '4.2/invalid-json',
  ],
  'resets the connection at a name beyond ASCII': [
    () => instead(({body}) => body.includes('漢'), reset),
    '4.2/unicode-name',
  ],
  'resets the connection at a used token': [
    () => answering(409, reset),
    '4.2/simultaneous-use 4.2/single-use',
  ],
  'resets the connection at HEAD': [
    () => instead(({method}) => method === 'HEAD', reset),
    'http/head',
  ],
  'resets the connection at an unknown id': [
    () => answering(404, reset, isGet),
    '4.4/isolation 4.4/odd-id 4.4/unknown-id',
  ],
  'shows times as objects': [timesAsObjects, ''],
  'returns credentials beyond ASCII': [
    () => withCredential('api_key', (key) => `schlüssel-${key}`),
    '',
  ],
  'repeats the token in errors': [
    () => changed(isRefusedActivation, (_, {body}) => ({body: JSON.stringify({error: body})})),
    '7/no-echo',
  ],
};

/** Responds in place of the list of every key but the first that is seen. */
const otherList = (reply: Reply) => (): Wrong => {
  let own: string | undefined;
  return answering(200, reply, (seen) => {
    own ??= keyOf(seen);
    return isList(seen) && keyOf(seen) !== own;
  });
};

const elsewhere = ok({items: [], next: 'https://elsewhere.example/more'});
const noRoute = (isMeant: (seen: Seen) => boolean) => () =>
  instead(isMeant, ok({error: 'not found'}, 404));

const withNewKeys = () => {
  let count = 0;
  return rewrite(isActivate, (body: Fields) => {
    count += 1;
    return {...body, api_key: `key-${count}`};
  });
};

/** Services of which some checks say something, without a failure: mostly that they were skipped. */
const observations: readonly (readonly [
  title: string,
  make: () => Wrong,
  ids: string,
  message: RegExp,
  status?: FindingStatus,
])[] = [
  [
    'fails to list with the key of another organization',
    otherList(failed),
    '4.3/isolation',
    /^the list of the second key could not be read: /,
  ],
  [
    'continues the list of another organization at another origin',
    otherList(elsewhere),
    '4.3/isolation',
    /^the list of the second key could not be read: its next page is on another origin/,
  ],
  [
    'continues its list at another origin',
    () => instead(isList, elsewhere),
    '4.2/unicode-name',
    /^the list could not be read$/,
  ],
  [
    'repeats an activation',
    () => unbroken,
    '4.2/retries',
    /^repeated with its `Idempotency-Key`: the same response$/,
    'info',
  ],
  [
    'repeats an activation with a new key',
    withNewKeys,
    '4.2/retries',
    /^repeated with its `Idempotency-Key`: another response, 201/,
    'info',
  ],
  [
    'calls a living connector connected',
    () =>
      reshow(isGet, ({status, ...one}) => ({
        ...one,
        status: status?.replace('online', 'connected'),
      })),
    '4.5/ages',
    /^the status after a heartbeat is connected$/,
    'info',
  ],
  [
    'shows no status',
    () => reshow(isGet, ({status: _, ...one}) => one),
    '4.5/ages',
    /^the status after a heartbeat is not shown$/,
    'info',
  ],
  [
    'refuses heartbeats',
    () => instead(isBeat, failed),
    '4.5/request-body',
    /^no heartbeat was accepted$/,
  ],
  [
    'has no route for heartbeats',
    noRoute(isBeat),
    '4.5/needs-key 4.5/unknown-id 4.5/isolation',
    /^refused with 40[14], which proves nothing: the correct/,
  ],
  [
    'has no route for activations',
    noRoute(isActivate),
    '4.2/unknown-token 4.2/needs-token 4.2/token-type',
    /^refused with 404, which proves nothing: /,
  ],
  [
    'has no route for activations',
    noRoute(isActivate),
    '4.2/invalid-json 8/large-body',
    /^refused with 404, which says nothing about the body$/,
  ],
  [
    'redirects heartbeats',
    () => instead(isBeat, {status: 301, body: '', headers: {location: '/v2/heartbeats/'}}),
    '4.5/accepts',
    /^the heartbeat was not accepted: 301, an empty body; it redirects to \/v2\/heartbeats\/$/,
    'fail',
  ],
  [
    'returns credentials under a name that is not read',
    () => withCredential('word', (key) => key),
    '4.3/no-credentials',
    /^no credential is read from the response to an activation; its names are api_key, access_token, /,
  ],
  [
    'names ids otherwise',
    () =>
      rewrite(isList, (body: Fields[]) => body.map(({id: number, ...one}) => ({...one, number}))),
    '4.4/listed-id',
    /^no id of a connector is read; its names are id, connector_id, uuid$/,
  ],
  [
    'returns credentials beyond ASCII',
    () => withCredential('api_key', (key) => `schlüssel-${key}`),
    '5/connector-key',
    /^the credential has characters that no header can carry$/,
    'info',
  ],
  [
    'has no route for the details of a connector',
    noRoute(isGet),
    '4.4/unknown-id 4.4/isolation',
    /404, which proves nothing: /,
  ],
  [
    'fails with 500 for an unknown token',
    () => answering(400, failed, isActivate),
    '4.2/unknown-token',
    /^the service fails with 500, so its response proves nothing$/,
  ],
  [
    'returns the details as an array of one',
    () => rewrite(isGet, (body: Fields) => [body]),
    '4.4/listed-id',
    /^200, /,
    'pass',
  ],
  [
    'returns nothing for an activation',
    () => answering(201, {...another, status: 204, body: ''}, isActivate),
    '4.5/only-own',
    /^the heartbeat of one connector changed no other$/,
    'pass',
  ],
  [
    'returns details without an id and a name',
    () => rewrite(isGet, ({status}: Fields) => ({status})),
    '4.4/reads',
    /^the response shows neither the id nor the name of the connector$/,
  ],
];

describe('conformance', function () {
  this.timeout(180_000);
  let sandbox: RunningSandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({seed: 1});
  });
  afterEach(async () => {
    await closeThirdPartyServices();
    await sandbox.close();
  });

  async function run(baseUrl: string, mayWrite = true, timeout = 10_000) {
    const {api_key: secondKey} = await sandbox.control<{api_key: string}>('createKey', {
      organization: 'other',
    });
    const {checks, reach, runChecks, Session} = suite;
    const adopt = await virtualTime({}, fakeIo());
    const session = new Session({
      client: {baseUrl, apiKey: sandbox.key, timeout},
      secondKey,
      revokedKey: 'revoked-key',
      mayWrite,
      maxConnectors: 5,
      patience: 0,
      wait: async () => {},
    });
    await reach(session);
    adopt(session);
    const findings: Finding[] = [];
    const missing = {writes: 'writes', 'second-key': 'second', 'revoked-key': 'revoked'};
    for await (const finding of runChecks(session, checks, {
      strict: true,
      missing,
    }))
      findings.push(finding);
    return {
      findings,
      secrets: [
        sandbox.key,
        secondKey,
        ...session.exchanges.flatMap(({response}) =>
          [...(response?.body.toString() ?? '').matchAll(/"(?:token|api_key)":"([^"]+)"/g)].map(
            ([, secret = '']) => secret,
          ),
        ),
      ],
    };
  }

  const failing = (findings: readonly Finding[]) =>
    findings
      .filter(({status}) => status === 'fail' || status === 'error')
      .map(({id}) => id)
      .sort()
      .join(' ');

  /** Examines the sandbox behind a service that does one thing wrong. */
  async function runThrough(wrong: Wrong) {
    let date = new Date((await sandbox.control<{now: string}>('status')).now).toUTCString();
    const service = await thirdPartyService(async (seen, response) => {
      const right: Parameters<Wrong>[1] = async (change = {}) => {
        const {method, path, body, headers} = {...seen, ...change};
        const {authorization, 'idempotency-key': key} = headers;
        const sent = await fetch(sandbox.url + path, {
          method,
          headers: {
            ...(authorization && {authorization}),
            ...(typeof key === 'string' && {'idempotency-key': key}),
          },
          ...(body !== '' && {body}),
        });
        const {
          'content-length': _,
          connection: __,
          'keep-alive': ___,
          'transfer-encoding': ____,
          ...rest
        } = Object.fromEntries(sent.headers);
        date = rest['date'] ?? date;
        return {status: sent.status, body: await sent.text(), headers: rest};
      };
      const reply = await (seen.path.startsWith('/_sandbox/') ? right() : wrong(seen, right));
      const {status, body, headers} = reply;
      if (status === 0) {
        response.destroy();
        return;
      }
      response.writeHead(status, {...headers, date});
      response.end(body);
    });
    return run(service.url);
  }

  for (const [title, [make, expected]] of Object.entries(services)) {
    it(`a service that ${title} fails ${expected === '' ? 'no check' : `only ${expected}`}`, async () => {
      const {findings, secrets} = await runThrough(make());
      expect(failing(findings)).to.equal(expected);
      const report = JSON.stringify(findings);
      expect(
        secrets.filter((secret) => secret.length > 8 && report.includes(secret)),
      ).to.deep.equal([]);
    });
  }

  for (const [title, make, ids, message, status = 'skip'] of observations) {
    it(`a service that ${title} gets ${status} for ${ids}, with what was observed`, async () => {
      const {findings} = await runThrough(make());
      for (const id of ids.split(' ')) {
        const finding = findings.find((one) => one.id === id);
        expect(finding?.status, id).to.equal(status);
        expect(finding?.message, id).to.match(message);
      }
    });
  }

  /** The operation, the effects on it, and what fails; 5xx and 4xx stand for all such statuses. */
  const faults: readonly (readonly [string, effects: readonly string[], failing: string])[] = [
    [
      'create-token',
      ['500', '418', 'reset', 'drop-response', 'slow-body', 'truncate'],
      '4.1/creates',
    ],
    ['create-token', ['garbage'], '4.1/creates http/valid-json'],
    ['activate', ['500'], '4.2/activates 4.2/invalid-json 7/status 8/large-body'],
    ['activate', ['418'], '4.2/activates'],
    ['activate', ['reset', 'drop-response', 'slow-body'], '4.2/activates'],
    ['activate', ['truncate'], '4.2/activates 7/readable'],
    ['activate', ['garbage'], '7/readable http/valid-json'],
    ['list', ['500'], '4.3/lists 7/status'],
    ['list', ['418', 'reset', 'drop-response', 'slow-body'], '4.3/lists'],
    ['list', ['truncate'], '4.3/lists 7/readable'],
    ['list', ['garbage'], '4.3/lists 7/readable http/valid-json'],
    ['list', ['date=+5m'], 'http/clock'],
    ['get', ['500'], '4.4/odd-id 4.4/reads 4.4/unknown-id 7/status'],
    ['get', ['418', 'reset', 'drop-response'], '4.4/reads'],
    ['get', ['slow-body', 'truncate'], '4.4/reads 7/readable'],
    ['get', ['garbage'], '4.4/reads 7/readable http/valid-json'],
    ['heartbeat', ['500', '418', 'reset', 'drop-response', 'slow-body', 'truncate'], '4.5/accepts'],
    ['heartbeat', ['garbage'], 'http/valid-json'],
  ];
  for (const [operation, effects, expected] of faults) {
    for (const effect of effects) {
      it(`the sandbox fault ${operation}:${effect} fails only ${expected}`, async () => {
        await sandbox.control('addFault', {spec: `${operation}:${effect}`});
        // A slow body sends a few bytes a second, for longer than that.
        const timeout = effect === 'slow-body' ? 2000 : 10_000;
        const {findings} = await run(sandbox.url, true, timeout);
        expect(failing(findings)).to.equal(expected);
      });
    }
  }

  it('without permission to write, the service has the same connectors and tokens afterwards', async () => {
    await sandbox.control('createFleet', {count: 3});
    const before = await (await sandbox.call('list')).text();
    const {findings} = await run(sandbox.url, false);
    expect(failing(findings)).to.equal('');
    expect(await (await sandbox.call('list')).text()).to.equal(before);
    const written = sandbox
      .requests()
      .filter(({method, status}) => method === 'POST' && status < 300);
    expect(written).to.deep.equal([]);
  });
});
