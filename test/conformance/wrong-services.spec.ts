import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import type {Finding, FindingStatus} from '../../src/domain/check/findings.js';
import {examine, writes} from '../support/command/run-conformance.js';
import {type RunningSandbox, startSandbox} from '../support/server/sandbox.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {type Seen, thirdPartyService} from '../support/third-party.js';

interface Reply {
  status: number;
  body: string;
  encoding?: BufferEncoding;
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
const anyRequest = () => true;
const isShown = (seen: Seen) => isList(seen) || isGet(seen);

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

/** Changes the text of the responses to some requests. */
const respelled = (isMeant: (seen: Seen) => boolean, from: RegExp, to: string) =>
  changed(isMeant, ({body}) => ({body: body.replace(from, to)}));

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

const withShortTokens = () => {
  let count = 0;
  return rewrite(isCreate, (body: Fields) => ({...body, token: `tok${++count}`}));
};

/** Answers a used token with the connector that it activated. */
const answeringAgain = (): Wrong => {
  const first = new Map<string | undefined, Reply>();
  return async (seen, upstream) => {
    const reply = await upstream();
    const [, token] = /"token":"([^"]+)"/.exec(seen.body) ?? [];
    if (isActivate(seen) && reply.status === 201) first.set(token, reply);
    return reply.status === 409 ? (first.get(token) ?? reply) : reply;
  };
};

/** The same, and the connector gets the name of the second request. */
const renamingAgain = (): Wrong => {
  const again = answeringAgain();
  let name: string | undefined;
  return async (seen, upstream) => {
    name = /"name":"([^"]+-again)"/.exec(seen.body)?.[1] ?? name;
    const reply = await again(seen, upstream);
    const before = name?.replace('-again', '');
    return before && name ? {...reply, body: reply.body.replaceAll(before, name)} : reply;
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

/** Activates connectors without a name too, and shows them without one. */
const activatingNameless: Wrong = async (seen, upstream) => {
  const isNameless = isActivate(seen) && /^{"token":"[^"]*"}$/.test(seen.body);
  if (isNameless) return upstream({body: seen.body.replace('}', ',"name":"nameless"}')});
  return respelled(isShown, /"name":"nameless"/g, '"name":null')(seen, upstream);
};

/** Its list is whole at first: only the connectors of the run make a second page, which no field leads to. */
const unreadablePages = rewrite(isList, (items: Fields[]) => ({items, has_more: items.length > 1}));

/** What each service does wrong, and the checks that fail. */
const services: Readonly<Record<string, readonly [wrong: Wrong, failing: string]>> = {
  'keeps to the interface': [(_, upstream) => upstream(), ''],
  'sends times without a Z': [respelled(isCreate, /Z"/, '"'), '4.1/expires-at'],
  'calls the token by another name': [respelled(isCreate, /"token"/, '"value"'), '4.1/token'],
  'returns short tokens': [withShortTokens(), '4.1/unguessable 4.2/activates'],
  'accepts any token': [
    answering(400, another, (seen) => isActivate(seen) && /nobody-issued/.test(seen.body)),
    '4.2/unknown-token',
  ],
  'accepts used tokens': [answering(409, another), '4.2/simultaneous-use 4.2/single-use'],
  'renames the connector of a used token': [renamingAgain(), '4.2/single-use'],
  'asks for its key with the status 422': [
    instead((seen) => isActivate(seen) && keyOf(seen) === '', ok({detail: 'no header'}, 422)),
    '',
  ],
  'refuses used tokens and makes the connector': [
    makingConnectorsInSpite(),
    '4.2/refused-makes-none',
  ],
  'accepts expired tokens': [answering(410, another), '4.1/expires'],
  'cuts names': [
    reshow(isShown, (one) => ({...one, name: one['name']?.slice(0, 6)})),
    '4.2/name-kept',
  ],
  'leaves connectors out of the list': [
    rewrite(isList, (body: Fields[]) => body.slice(1)),
    '4.3/complete',
  ],
  'activates the same connector each time': [withSameId(), '4.2/new-id'],
  'announces a page that it does not have': [
    rewrite(isList, (items: Fields[]) => ({items, has_more: true})),
    '4.3/lists',
  ],
  'begins pages that cannot be read with the second connector': [unreadablePages, '4.3/complete'],
  'lists the connectors of all organizations': [listingAll(), '4.3/isolation'],
  'has numeric ids in the list': [
    relist(({id, ...one}, index) => ({...one, connector_id: id, id: index})),
    '2/id 4.3/complete 4.4/listed-id',
  ],
  'lists every connector with the id of the first': [
    relist((one, _, all) => ({...one, id: all[0]?.['id']})),
    '4.3/complete 4.3/unique-ids 4.4/listed-id',
  ],
  'lists a name for the first connector only': [
    relist(({name, ...one}, at) => (at === 0 ? {name, ...one} : one)),
    '2/name',
  ],
  'sends its list with the time of five minutes later': [
    changed(isList, ({headers: {date = '', ...headers}}) => ({
      headers: {...headers, date: new Date(Date.parse(date) + 300_000).toUTCString()},
    })),
    'http/clock',
  ],
  'shows credentials in the list': [showingKeys(isList), '4.3/no-credentials'],
  'shows its credential in the details of a connector': [showingKeys(isGet), '4.3/no-credentials'],
  'returns 200 for unknown ids': [
    answering(404, ok({error: 'not found'}), isGet),
    '4.4/unknown-id 7/status',
  ],
  'ignores heartbeats': [instead(isOwnBeat, ok({})), '4.5/effect'],
  'calls a connector online for ever': [
    reshow(isShown, (one) => ({...one, status: 'online'})),
    '4.5/ages',
  ],
  'refuses heartbeats': [instead(isBeat, failed), '4.5/accepts'],
  'takes a heartbeat as one of all connectors': [beatingForAll(), '4.5/only-own'],
  'sends web pages as errors': [
    changed(
      (_, {status}) => status >= 400,
      () => ({body: '<!doctype html><p>Error</p>', headers: {'content-type': 'text/html'}}),
    ),
    '5/challenge 7/readable',
  ],
  'sends errors as 200': [
    changed(isRefusedActivation, () => ok({error: {message: 'refused'}})),
    '4.2/invalid-json 7/status',
  ],
  'sends JSON as text': [
    changed(anyRequest, ({headers}) => ({headers: {...headers, 'content-type': 'text/plain'}})),
    'http/content-type',
  ],
  'begins its JSON with a byte order mark': [
    respelled(anyRequest, /^(?=.)/s, '\ufeff'),
    'http/utf-8',
  ],
  'sends other text than UTF-8': [
    changed(isRefusedActivation, () => ({body: '{"title": "\xff"}', encoding: 'latin1'})),
    'http/utf-8',
  ],
  'knows only Bearer with a capital B': [
    instead((seen) => /^(?!Bearer )./.test(keyOf(seen)), ok({error: 'no key'}, 401)),
    '5/scheme-case',
  ],
  'needs no key to list': [
    instead((seen) => isList(seen) && keyOf(seen) === '', ok([])),
    '5/needs-key',
  ],
  'accepts any key': [
    instead((seen) => isList(seen) && keyOf(seen).includes('nobody-issued'), ok([])),
    '5/wrong-key',
  ],
  'accepts a revoked key': [
    instead((seen) => isList(seen) && keyOf(seen) === 'Bearer revoked-key', ok([])),
    '5/revoked-key',
  ],
  'activates a connector without a name': [activatingNameless, ''],
  'resets the connection at a token that is no string': [
    instead(({body}) => body.startsWith('{"token":true'), reset),
    '4.2/token-type',
  ],
  'resets the connection at a used token': [
    answering(409, reset),
    '4.2/simultaneous-use 4.2/single-use',
  ],
  'resets the connection at an unknown id': [
    answering(404, reset, isGet),
    '4.4/isolation 4.4/odd-id 4.4/unknown-id',
  ],
  // As PHP's `json_encode` writes a DateTime.
  'shows times as objects': [
    respelled(isShown, /("last_heartbeat_at":)("[^"]+")/g, '$1{"date":$2,"timezone":"UTC"}'),
    '',
  ],
  'repeats the token in errors': [
    changed(isRefusedActivation, (_, {body}) => ({body: JSON.stringify({error: body})})),
    '7/no-echo',
  ],
};

/** Headers that a connection has of its own. */
const hopByHop = /^(content-length|connection|keep-alive|transfer-encoding)$/;

const noRoute = (isMeant: (seen: Seen) => boolean) =>
  instead(isMeant, ok({error: 'not found'}, 404));

/** Services of which some checks say something, without a failure: mostly that they were skipped. */
const observations: readonly (readonly [
  title: string,
  wrong: Wrong,
  ids: string,
  message: RegExp,
  status?: FindingStatus,
])[] = [
  [
    'calls a living connector connected',
    respelled(isGet, /"online"/, '"connected"'),
    '4.5/ages',
    /^the status after a heartbeat is connected$/,
    'info',
  ],
  [
    'answers a used token with the same connector',
    answeringAgain(),
    '4.2/single-use',
    /^a used token is answered with the same connector and its credential, so keep used tokens secret$/,
    'pass',
  ],
  [
    'begins pages that cannot be read with the second connector',
    unreadablePages,
    '4.3/complete',
    /^the list can no longer be read as a whole: it announces more connectors, but not how to request them: see `has_more`$/,
    'fail',
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
    instead(isBeat, {status: 301, body: '', headers: {location: '/v2/heartbeats/'}}),
    '4.5/accepts',
    /^the heartbeat was not accepted: 301, an empty body; it redirects to \/v2\/heartbeats\/$/,
    'fail',
  ],
  [
    'returns credentials under a name that is not read',
    respelled(isActivate, /"api_key"/, '"word"'),
    '4.3/no-credentials',
    /^no credential is read from the response to an activation; its names are api_key, access_token, /,
  ],
  [
    'names ids otherwise',
    rewrite(isList, (body: Fields[]) => body.map(({id: number, ...one}) => ({...one, number}))),
    '4.4/listed-id',
    /^the suite finds no id of a connector; it reads id, connector_id, uuid$/,
  ],
  [
    'fails with 500 for an unknown token',
    answering(400, failed, isActivate),
    '4.2/unknown-token',
    /^the service fails with 500, so its response proves nothing$/,
  ],
  [
    'returns nothing for an activation',
    answering(201, {...another, status: 204, body: ''}, isActivate),
    '4.5/only-own',
    /^the heartbeat of one connector changed no other$/,
    'pass',
  ],
];

describe('conformance', function () {
  this.timeout(180_000);
  const at = temporaryDirectory();
  let sandbox: RunningSandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({seed: 1});
    const second = await sandbox.control<{api_key: string}>('createKey', {organization: 'other'});
    writeFileSync(at('second'), second.api_key, {mode: 0o600});
    writeFileSync(at('revoked'), 'revoked-key', {mode: 0o600});
  });

  /** The findings for a service with the keys of the sandbox. */
  async function findingsAt(url: string): Promise<readonly Finding[]> {
    const keys = ['--second-api-key-file', at('second'), '--revoked-api-key-file', at('revoked')];
    const flags = ['--strict', ...writes, ...keys];
    const {stdout} = await examine(url, {flags, apiKey: sandbox.key, json: true});
    return JSON.parse(stdout).findings;
  }

  const failing = (findings: readonly Finding[]) =>
    findings
      .filter(({status}) => status === 'fail' || status === 'error')
      .map(({id}) => id)
      .sort()
      .join(' ');

  /** The findings for a service that does one thing wrong, and is else the sandbox. */
  async function findingsThrough(wrong: Wrong): Promise<readonly Finding[]> {
    let date = new Date((await sandbox.control<{now: string}>('status')).now).toUTCString();
    const {url} = await thirdPartyService(async (seen, response) => {
      const right: Parameters<Wrong>[1] = async (change = {}) => {
        const {method, path, body, headers} = {...seen, ...change};
        const {authorization} = headers;
        const sent = await fetch(sandbox.url + path, {
          method,
          ...(authorization && {headers: {authorization}}),
          ...(body !== '' && {body}),
        });
        const all = Object.fromEntries(sent.headers);
        date = all['date'] ?? date;
        const kept = Object.entries(all).filter(([name]) => !hopByHop.test(name));
        return {
          status: sent.status,
          body: await sent.text(),
          headers: Object.fromEntries(kept),
        };
      };
      const isControl = seen.path.startsWith('/_sandbox/');
      const {
        status,
        body,
        encoding = 'utf8',
        headers,
      } = await (isControl ? right() : wrong(seen, right));
      if (status === 0) response.destroy();
      else response.writeHead(status, {date, ...headers}).end(body, encoding);
    });
    return findingsAt(url);
  }

  for (const [title, [wrong, expected]] of Object.entries(services)) {
    it(`a service that ${title} fails ${expected === '' ? 'no check' : `only ${expected}`}`, async () => {
      expect(failing(await findingsThrough(wrong))).to.equal(expected);
    });
  }

  for (const [title, wrong, ids, message, status = 'skip'] of observations) {
    it(`a service that ${title} gets ${status} for ${ids}, with what was observed`, async () => {
      const findings = await findingsThrough(wrong);
      for (const id of ids.split(' ')) {
        const finding = findings.find((one) => one.id === id);
        expect(finding?.status, id).to.equal(status);
        expect(finding?.message, id).to.match(message);
      }
    });
  }

  /** The operation, the effects on it, and what fails; 5xx and 4xx stand for all such statuses. */
  const faults: readonly (readonly [string, effects: string, failing: string])[] = [
    ['create-token', '500 418 reset drop-response truncate', '4.1/creates'],
    ['create-token', 'garbage', '4.1/creates http/valid-json'],
    ['activate', '500', '4.2/activates 4.2/invalid-json 7/status 8/large-body'],
    ['activate', '418 reset drop-response', '4.2/activates'],
    ['activate', 'truncate', '4.2/activates 7/readable'],
    ['activate', 'garbage', '7/readable http/valid-json'],
    ['list', '500', '4.3/lists 7/status'],
    ['list', '418 reset drop-response', '4.3/lists'],
    ['list', 'truncate', '4.3/lists 7/readable'],
    ['list', 'garbage', '4.3/lists 7/readable http/valid-json'],
    ['get', '500', '4.4/odd-id 4.4/reads 4.4/unknown-id 7/status'],
    ['get', '418 reset drop-response', '4.4/reads'],
    ['get', 'truncate', '4.4/reads 7/readable'],
    ['get', 'garbage', '4.4/reads 7/readable http/valid-json'],
    ['heartbeat', '500 418 reset drop-response truncate', '4.5/accepts'],
    ['heartbeat', 'garbage', 'http/valid-json'],
  ];
  for (const [operation, effects, expected] of faults) {
    for (const effect of effects.split(' ')) {
      it(`the sandbox fault ${operation}:${effect} fails only ${expected}`, async () => {
        await sandbox.control('addFault', {spec: `${operation}:${effect}`});
        expect(failing(await findingsAt(sandbox.url))).to.equal(expected);
      });
    }
  }
});
