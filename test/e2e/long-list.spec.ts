import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {runMeasured, spawnChild} from '../support/process/child.js';
import {openTerminal} from '../support/process/terminal.js';
import {slowService} from '../support/services/slow.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, pieces, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const count = 100_000;
const filler = 'x'.repeat(400);
const connector = (index: number) => `{"id":"con_${index}","note":"${filler}"}`;
const shown = (index: number) => `  {\n    "id": "con_${index}",\n    "note": "${filler}"\n  }`;

/** All connectors as a text, in chunks of a thousand. */
function* thousands(text: (index: number) => string, separator: string): Generator<string> {
  for (let start = 0; start < count; start += 1000) {
    const some = Array.from({length: 1000}, (_, offset) => text(start + offset));
    yield some.join(separator) + (start + 1000 < count ? separator : '');
  }
}

describe('a list of a hundred thousand connectors', () => {
  it('is written as JSON with the default heap', async () => {
    const {url} = await thirdPartyService(pieces(['[', ...thousands(connector, ','), ']']));
    // 42 MB of text.
    const child = spawnChild(['connector', 'list', '--json'], {
      env: {CONNECTORCTL_BASE_URL: url},
    });
    const [stderr, [code], digest] = await Promise.all([
      text(child.stderr!),
      once(child, 'close'),
      digestOf(child.stdout!),
    ]);
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(digest).to.equal(await digestOf(['[\n', ...thousands(shown, ',\n'), '\n]\n']));
  });
});

/** Commands that read a list of machines, and the line that a terminal shows after a second. */
const readers = {
  check: {
    words: (list: string) => ['--expect', list],
    line: /^Waiting for http:\S+ … \d+s$/,
  },
  enroll: {
    words: (list: string) => [list, '--dry-run', '--credentials-dir', `${list}.out`],
    line: /^[\d,]+\/100,000 machines \d+s$/,
  },
};

describe('a list of a hundred thousand machines', () => {
  const at = temporaryDirectory();

  const listOf = (length: number) => {
    const rows = Array.from({length}, (_, index) => `machine-${index},rack ${index % 40}\n`);
    writeFileSync(at('list.csv'), `name,rack\n${rows.join('')}`);
    return at('list.csv');
  };
  const env = {CONNECTORCTL_API_KEY: organizationKey()};

  for (const [command, {words, line}] of Object.entries(readers)) {
    const argv = (list: string) => ['connector', command, ...words(list)];

    it(`takes less than four times the memory of one of ten thousand: connector ${command}`, async () => {
      const {url} = await thirdPartyService(json([]));
      const peak = async (length: number) => {
        const run = await runMeasured(argv(listOf(length)), {
          env: {...env, CONNECTORCTL_BASE_URL: url},
          file: at('peak'),
        });
        expect(run.stdout + run.stderr).to.include(length.toLocaleString('en'));
        return run.mebibytes;
      };
      expect(await peak(count)).to.be.below(4 * (await peak(count / 10)));
    });

    it(`shows a line of progress on a terminal: connector ${command}`, async () => {
      const service = await slowService();
      const terminal = openTerminal(argv(listOf(count)), {env: {...env, ...service.env}});
      if (command === 'enroll') await service.response([]);
      await terminal.until(line);
    });
  }
});

async function digestOf(chunks: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
