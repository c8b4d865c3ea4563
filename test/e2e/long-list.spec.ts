import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {spawnChild} from '../support/process/child.js';
import {closeThirdPartyServices, pieces, thirdPartyService} from '../support/third-party.js';

const count = 100_000;
const filler = 'x'.repeat(400);
const connector = (index: number) => `{"id":"con_${index}","note":"${filler}"}`;

/** The lines of all connectors, in chunks of a thousand. */
function* thousands(separator: string): Generator<string> {
  for (let start = 0; start < count; start += 1000) {
    const some = Array.from({length: 1000}, (_, offset) => connector(start + offset));
    yield some.join(separator) + (start + 1000 < count ? separator : '');
  }
}

describe('a list of a hundred thousand connectors', () => {
  afterEach(closeThirdPartyServices);

  it('is written as NDJSON with the default heap', async () => {
    const {url} = await thirdPartyService(pieces(['[', ...thousands(','), ']']));
    // 42 MB of text.
    const child = spawnChild(['connector', 'list', '-o', 'ndjson'], {
      env: {CONNECTORCTL_BASE_URL: url},
    });
    const [stderr, [code], digest] = await Promise.all([
      text(child.stderr!),
      once(child, 'close'),
      digestOf(child.stdout!),
    ]);
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(digest).to.equal(await digestOf([...thousands('\n'), '\n']));
  });
});

async function digestOf(chunks: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
