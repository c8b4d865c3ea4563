import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {formatSecret} from '../../../src/domain/secret.js';

const run = promisify(execFile);
const module = new URL('../../../src/server/observability/logger.ts', import.meta.url);
const token = formatSecret('activationToken', new Uint8Array(32).fill(1));
const connectorKey = formatSecret('connectorKey', new Uint8Array(32).fill(2));

/** Stdout and stderr of a process that runs these log statements. */
function logged(level: string, forPeople: boolean, statements: string) {
  const script = `const {createLogger} = await import(${JSON.stringify(module)});
    const log = createLogger(${JSON.stringify(level)}, ${forPeople});
    ${statements}`;
  return run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
}

const leaks = `log.error({err: new Error('bad token ${token}'), key: '${connectorKey}'}, '${token}');`;

describe('the log', () => {
  it('writes JSON lines to stderr, and nothing to stdout', async () => {
    const {stdout, stderr} = await logged(
      'info',
      false,
      `log.info({n: 1}, 'a'); log.warn({}, 'b');`,
    );
    expect(stdout).to.equal('');
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({level, msg}) => `${level} ${msg}`)).to.deep.equal(['info a', 'warn b']);
    expect(lines[0]).to.include({n: 1});
    expect(lines[0].time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('contains the last lines of a process that exits at once', async () => {
    const {stderr} = await logged('info', false, `log.info({}, 'last'); process.exit(0);`);
    expect(stderr).to.include('last');
  });

  it('omits lines below its level', async () => {
    const {stderr} = await logged('warn', false, `log.info({}, 'a'); log.warn({}, 'b');`);
    expect(stderr).to.match(/^[^\n]*"b"[^\n]*\n$/);
  });

  it('is readable text for people', async () => {
    const {stderr} = await logged('info', true, `log.info({n: 1}, 'hello');`);
    expect(stderr).to.match(/INFO.*hello/);
    expect(() => JSON.parse(stderr)).to.throw();
  });

  for (const forPeople of [false, true]) {
    it(`redacts secrets${forPeople ? ' in the text for people' : ''}`, async () => {
      const {stderr} = await logged('info', forPeople, leaks);
      expect(stderr).not.to.include(token.slice(4, 20));
      expect(stderr).not.to.include(connectorKey.slice(4, 20));
      expect(stderr).to.include('act_[redacted]').and.include('cck_[redacted]');
    });
  }
});
