import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

/** Ranges are nested; the innermost decides whether a byte was executed. */
function executedBytes({functions}: Script): number {
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const executed = new Uint8Array(Math.max(...ranges.map(({endOffset}) => endOffset)));
  for (const {startOffset, endOffset, count} of ranges) {
    executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return executed.reduce((sum, byte) => sum + byte, 0);
}

const start = ['cli.cjs', 'start.cjs'];
const request = ['cli.cjs', 'client.cjs', 'start.cjs'];

describe('the bundle', () => {
  const path = temporaryDirectory();

  /** The files of the bundle that a command line loads, and how many of their bytes it executes, as V8 counts them. */
  const execute = async (line: string) => {
    const connector = {id: 'con_1', name: 'web', status: 'online', last_heartbeat_at: null};
    const service = await thirdPartyService((seen, ...rest) =>
      json(seen.path.endsWith('con_1') ? connector : [connector])(seen, ...rest),
    );
    const argv = [join(root, 'bin', 'run.js'), ...line.split(' ')];
    await promisify(execFile)(process.execPath, argv, {
      env: {
        PATH: process.env['PATH'],
        HOME: path(),
        CONNECTORCTL_BASE_URL: service.url,
        CONNECTORCTL_API_KEY: 'a-key',
        NODE_V8_COVERAGE: path('coverage'),
      },
    });
    const [file = ''] = readdirSync(path('coverage'));
    const scripts: Script[] = JSON.parse(readFileSync(path('coverage', file), 'utf8')).result;
    const bundled = scripts.filter(({url}) => url.endsWith('.cjs') && url.includes('/dist/'));
    return {
      files: bundled.map(({url}) => basename(url)).sort(),
      bytes: bundled.reduce((sum, script) => sum + executedBytes(script), 0),
    };
  };

  const cases: readonly (readonly [line: string, files: readonly string[], bytes: number])[] = [
    ['--version', start, 35_000],
    ['--help', start, 98_000],
    ['connector get --help', start, 99_000],
    ['__complete -- connector list -o ', start, 88_000],
    ['__complete -- connector get ', request, 167_000],
    ['connector get con_1', request, 167_000],
    ['connector list', request, 167_000],
  ];
  for (const [line, files, bytes] of cases) {
    it(`loads only what it needs for: ${line}`, async () => {
      const executed = await execute(line);
      const advice =
        'Load it with import() where it is needed, or raise the allowance in test/distribution/bundle/modules.test.ts and say why in the commit.';
      expect(executed.files, advice).to.deep.equal(files);
      expect(executed.bytes, advice).to.be.within(bytes / 2, bytes);
    });
  }
});
