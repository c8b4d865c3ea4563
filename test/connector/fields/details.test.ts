import {expect} from 'chai';
import * as fc from 'fast-check';
import {renderActivation, renderConnector} from '../../../src/connector/fields/details.js';
import {sixteenColors} from '../../../src/terminal/escape.js';
import {
  awkwardText,
  bareReading,
  plain,
  reading,
  terminalControls,
} from '../../support/values/render.js';

describe('renderConnector', () => {
  it('shows the known fields, with times relative and exact', async () => {
    expect(await renderConnector(reading().raw, plain)).to.equal(
      [
        'ID:              con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        'Name:            build-1',
        'Status:          online',
        'Organization:    acme',
        'Activated:       3d ago (2026-06-28T12:00:00.000Z)',
        'Last heartbeat:  12s ago (2026-07-01T11:59:48.000Z)',
        '',
      ].join('\n'),
    );
  });

  it('shows that there was no heartbeat, and omits fields that the service does not send', async () => {
    expect(await renderConnector({id: '7', last_heartbeat_at: null}, plain)).to.equal(
      'ID:              7\nLast heartbeat:  never\n',
    );
  });

  it('says never for null in no field but the last heartbeat', () => {
    const raw = {id: 'a', name: 'b', organization: null, activated_at: null, labels: null};
    expect(renderConnector(raw, plain)).to.equal('ID:    a\nName:  b\n');
  });

  it('shows neither that a connector shares its identity with none, nor that no process started', () => {
    const raw = {id: 'a', identity_shared_at: null, starts_last_hour: 0};
    expect(renderConnector(raw, plain)).to.equal('ID:  a\n');
    const connector = {...bareReading('a'), raw};
    expect(renderActivation({connector, credential: undefined, raw}, plain)).to.equal('ID:  a\n');
    const restarted = {id: 'a', starts_last_hour: 2};
    expect(renderConnector(restarted, plain)).to.equal(
      'ID:                a\nStarts last hour:  2\n',
    );
  });

  it('adds the fields of another service under their paths, without empty ones', async () => {
    const raw = {
      id: 7,
      name: 5,
      version: '1.2',
      ok: false,
      none: null,
      tags: ['a', 2],
      no: [],
      at: {b: 1, c: {d: 'x'}},
      ports: [{port: 1}],
    };
    expect(await renderConnector(raw, plain)).to.equal(
      'ID:            7\nname:          5\nversion:       1.2\nok:            false\ntags:          a, 2\nat.b:          1\nat.c.d:        x\nports.0.port:  1\n',
    );
  });

  it('hides secrets by the name of their field', async () => {
    const raw = {
      id: '7',
      api_key: 'cck_secret',
      accessToken: 'secret',
      has_secret: true,
      key_id: 9,
      labels: {app: {token: 'secret'}},
    };
    expect(await renderConnector(raw, plain)).to.equal(
      'ID:                7\napi_key:           (hidden)\naccessToken:       (hidden)\nhas_secret:        true\nkey_id:            9\nlabels.app.token:  (hidden)\n',
    );
  });

  it('colors the status', async () => {
    const text = await renderConnector(reading({status: 'stale'}).raw, {
      ...plain,
      palette: await sixteenColors(),
    });
    expect(text).to.include('Status:          \u001b[33mstale\u001b[39m\n');
  });

  it('escapes control characters in values and field names, and puts each on one line', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardText, awkwardText, async (text, other) => {
        const connector = {id: text, name: text, status: text, [other]: text};
        const shown = await renderConnector(connector, plain);
        expect(shown).not.to.match(terminalControls);
        expect(shown.split('\n').length).to.be.at.most(8);
      }),
    );
  });
});

describe('renderActivation', () => {
  const credential = {field: 'api_key', value: 'cck_secret'};
  const connector = {
    ...bareReading('7', 'gateway'),
    raw: {id: '7', name: 'gateway', api_key: 'cck_secret'},
  };

  it('shows the credential once, under the name that the service gave it', async () => {
    const text = await renderActivation({connector, credential, raw: connector.raw}, plain);
    expect(text).to.equal('ID:       7\nName:     gateway\napi_key:  cck_secret\n');
  });

  it('does not show a nested credential a second time', async () => {
    const nested = {...credential, field: 'connector.api_key'};
    const text = await renderActivation(
      {connector, credential: nested, raw: {connector: connector.raw}},
      plain,
    );
    expect(text).to.equal(
      'ID:                 7\nName:               gateway\nconnector.api_key:  cck_secret\n',
    );
  });

  it('shows the fields of a response that has no connector', async () => {
    const response = {connector: undefined, credential: undefined};
    expect(await renderActivation({...response, raw: {state: 'ok'}}, plain)).to.equal(
      'state:  ok\n',
    );
    expect(await renderActivation({...response, raw: {}}, plain)).to.equal('');
  });
});
