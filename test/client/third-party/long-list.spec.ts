import {expect} from 'chai';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {
  closeThirdPartyServices,
  pieces,
  thirdPartyService,
} from '../../support/third-party-service.js';

const filler = 'x'.repeat(400);

/** The JSON of `count` connectors, in chunks of a hundred. */
function* connectors(count: number): Generator<string> {
  for (let start = 0; start < count; start += 100) {
    const group = Array.from(
      {length: Math.min(100, count - start)},
      (_, offset) => `{"id":"con_${start + offset}","note":"${filler}"}`,
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

  for (const compress of [false, true]) {
    it(`is read when it has 50 MB, ${compress ? 'compressed' : 'uncompressed'}`, async () => {
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

  const half = () => joined('[', connectors(10_000), ',{"id":');

  it('can be canceled while it arrives', async () => {
    const controller = new AbortController();
    const service = await thirdPartyService((_, response) => {
      for (const piece of half()) response.write(piece);
      setTimeout(() => controller.abort(), 100);
    });
    const {client} = clientWithoutDelays(service.url);
    const error = await failure(() => all(client.listConnectors({signal: controller.signal})));
    expect(error.kind).to.equal('cancelled');
  });
});
