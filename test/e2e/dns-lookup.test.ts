import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {liveChild} from '../support/process/live-child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

/** Node.js before 22.15 waits (docs/limits.md). */
const itMayEnd = 'execve' in process ? it : it.skip;

describe('a DNS lookup without a response', () => {
  const at = temporaryDirectory();
  beforeEach(() => {
    // Blocks the only thread for DNS lookups: it opens a pipe that has no writer.
    execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(
      at('block.cjs'),
      `const dns = require('node:dns');
      const {lookup} = dns;
      dns.lookup = (...words) => {
        require('node:fs').open(${JSON.stringify(at('pipe'))}, () => {});
        process.stderr.write('looking up\\n');
        return lookup(...words);
      };`,
    );
  });

  const start = async (words: readonly string[]) => {
    const env = {
      CONNECTORCTL_BASE_URL: 'http://connectors.example',
      CONNECTORCTL_API_KEY: 'sesame',
      CONNECTORCTL_COMPLETION_TIMEOUT: '50ms',
      UV_THREADPOOL_SIZE: '1',
      NODE_OPTIONS: `--require "${at('block.cjs')}"`,
    };
    const child = liveChild(words, {env});
    await child.until(/looking up/);
    return child;
  };

  for (const [command, words, code] of [
    ['connector monitor', [], 0],
    ['connector run', ['con_1'], 0],
    ['connector check', ['-o', 'nagios'], 3],
  ] as const) {
    itMayEnd(`does not keep ${command} from its end by SIGTERM`, async () => {
      const child = await start([...command.split(' '), ...words]);
      child.signal('SIGTERM');
      expect(await child.ended()).to.deep.equal({code, signal: null});
    });
  }

  itMayEnd('does not keep connector list from its end by the time limit', async () => {
    const child = await start(['connector', 'list', '--timeout', '50ms', '--retries', '0']);
    expect(await child.ended()).to.deep.equal({code: 6, signal: null});
  });

  itMayEnd('does not keep a completion from its end by the time limit', async () => {
    const child = await start(['__complete', '--', 'connector', 'get', '']);
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
  });
});
