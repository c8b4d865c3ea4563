import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {
  closeThirdPartyServices,
  inTurn,
  pieces,
  type Respond,
  thirdPartyService,
} from '../../support/third-party-service.js';

const filler = 'x'.repeat(400);

/** The JSON of `count` connectors, in chunks of a hundred. */
function* connectors(count: number, id = (index: number) => `"con_${index}"`): Generator<string> {
  for (let start = 0; start < count; start += 100) {
    const group = Array.from(
      {length: Math.min(100, count - start)},
      (_, offset) => `{"id":${id(start + offset)},"note":"${filler}"}`,
    );
    yield (start > 0 ? ',' : '') + group.join(',');
  }
}

function* joined(...parts: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

describe('a long list from a third-party service', () => {
  afterEach(closeThirdPartyServices);

  const many = 10_000;

  async function readFrom(...responses: readonly Respond[]) {
    const service = await thirdPartyService(inTurn(...responses));
    const ids: string[] = [];
    let error: unknown;
    try {
      for await (const {id} of clientWithoutDelays(service.url).client.listConnectors())
        ids.push(id);
    } catch (caught) {
      error = caught;
    }
    return {ids, error, service};
  }

  for (const compress of [false, true]) {
    it(`is streamed when it has 50 MB, ${compress ? 'compressed' : 'uncompressed'}`, async () => {
      const count = 120_000;
      const sent = {bytes: 0};
      const response = pieces(joined(' [', connectors(count), ']\n'), sent, compress);
      const service = await thirdPartyService(response);
      let index = 0;
      for await (const {id} of clientWithoutDelays(service.url).client.listConnectors()) {
        if (id !== `con_${index++}`) throw new Error(`${id} stands at ${index - 1}`);
      }
      expect(index).to.equal(count);
      expect(sent.bytes).to.be.above(50_000_000);
    });
  }

  it('is no longer read when the caller stops', async () => {
    const sent = {bytes: 0};
    const service = await thirdPartyService(pieces(joined('[', connectors(200_000), ']'), sent));
    for await (const {id} of clientWithoutDelays(service.url).client.listConnectors()) {
      if (id === 'con_5000') break;
    }
    await service.close();
    expect(sent.bytes).to.be.below(40_000_000);
  });

  it('does not time out while the caller pauses', async () => {
    const service = await thirdPartyService(pieces(joined('[', connectors(3 * many), ']')));
    const {client} = clientWithoutDelays(service.url, {timeout: 5000});
    let count = 0;
    for await (const _ of client.listConnectors()) {
      if (++count === many) await delay(5100);
    }
    expect(count).to.equal(3 * many);
  });

  const half = () => joined('[', connectors(many), ',{"id":');
  const breaks: Record<string, readonly [Respond, string, string]> = {
    'ends in the middle': [pieces(half()), 'protocol', 'it ends in the middle'],
    'stops being JSON': [pieces(joined(half(), ']]]')), 'protocol', 'not valid JSON'],
    'has an element that is nested too deep': [
      pieces(joined('[', connectors(many), `,{"a":${'['.repeat(9999)}${']'.repeat(9999)}}]`)),
      'protocol',
      'it is nested too deep',
    ],
    'has an element that is not an object': [
      pieces(joined('[', connectors(many), ',5]')),
      'protocol',
      `\`[${many}]\` is a number`,
    ],
  };
  for (const [name, [response, kind, says]] of Object.entries(breaks)) {
    it(`yields its connectors and then fails when it ${name}`, async () => {
      const {ids, error, service} = await readFrom(response);
      expect(error).to.include({kind});
      expect(String(error)).to.include(says);
      expect(ids).to.have.length(many);
      expect(service.seen).to.have.length(1);
    });
  }

  it('yields the connectors received before the connection is lost, and then fails', async () => {
    let cut = () => {};
    const service = await thirdPartyService((_, response) => {
      for (const piece of half()) response.write(piece);
      cut = () => response.destroy();
    });
    const ids: string[] = [];
    const error = await failure(async () => {
      for await (const {id} of clientWithoutDelays(service.url).client.listConnectors()) {
        if (ids.push(id) === 1) cut();
      }
    });
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include('was lost before the response was complete');
    expect(ids.length).to.be.within(1, many);
    expect(service.seen).to.have.length(1);
  });

  it('fails when the response stalls', async () => {
    const service = await thirdPartyService((_, response) => {
      for (const piece of half()) response.write(piece);
    });
    const {client} = clientWithoutDelays(service.url, {timeout: 2000});
    const error = await failure(() => all(client.listConnectors()));
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include('was not complete within 2 s');
  });

  it('can be canceled at once', async () => {
    const service = await thirdPartyService((_, response) => {
      for (const piece of half()) response.write(piece);
    });
    const controller = new AbortController();
    const {client} = clientWithoutDelays(service.url);
    const error = await failure(async () => {
      for await (const {id} of client.listConnectors({signal: controller.signal})) {
        if (id === `con_${many - 1000}`) controller.abort();
      }
    });
    expect(error.kind).to.equal('cancelled');
  });

  it('fails without a list, with two lists, or with an element of nine megabytes', async () => {
    const cases: readonly (readonly [Iterable<string>, string])[] = [
      [joined('{"a":[', connectors(many), '],"b":[', connectors(many), ']}'), 'holds no list'],
      [joined('{"a":{"b":"', 'x'.repeat(2 ** 21), '"}}'), 'holds no list'],
      [
        joined('[{"id":"', ...Array.from({length: 9}, () => 'x'.repeat(2 ** 20)), '"}]'),
        'too long',
      ],
    ];
    for (const [source, says] of cases) {
      const {ids, error} = await readFrom(pieces(source));
      expect(ids).to.deep.equal([]);
      expect(error).to.include({kind: 'protocol'});
      expect(String(error)).to.include(says);
    }
  });
});
