import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import type {Report} from '../../../src/render/report/report.js';
import {renderTap} from '../../../src/render/report/tap.js';
import {everyStatus, finding, reportOf, withDetails} from '../../support/report.js';
import {root} from '../../support/sources.js';

interface Assert {
  readonly ok: boolean;
  readonly name: string;
  readonly skip: string | false;
  readonly todo: string | false;
}
interface Results {
  readonly ok: boolean;
  readonly failures: readonly {readonly tapError: unknown}[];
}

const program = join(root, 'node_modules', 'tap-parser', 'bin', 'cmd.cjs');

/** What a parser of the protocol reads. In a separate process, because it changes the library for YAML. */
function parse(report: Report): {asserts: readonly Assert[]; results: Results} {
  const {stdout} = spawnSync(process.execPath, [program, '--json', '--strict'], {
    encoding: 'utf8',
    input: [...renderTap(report)].join(''),
  });
  const events = JSON.parse(stdout) as readonly (readonly [string, Assert & Results])[];
  const of = (name: string) => events.flatMap(([event, value]) => (event === name ? [value] : []));
  const [results] = of('complete');
  if (results === undefined) throw new Error(`The parser did not finish: ${stdout}`);
  return {asserts: of('assert'), results};
}

describe('a TAP report', () => {
  it('is read by a parser with the same outcome for each judged finding', () => {
    const {asserts, results} = parse(everyStatus);
    expect(results.failures.filter(({tapError}) => tapError !== null)).to.deep.equal([]);
    expect(asserts.map(({ok, skip}) => [ok, skip !== false])).to.deep.equal([
      [true, false],
      [false, false],
      [false, false],
      [true, false],
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  it('is read by a parser with hostile text in the details of findings', () => {
    const {asserts, results} = parse(withDetails);
    expect(results.failures.filter(({tapError}) => tapError !== null)).to.deep.equal([]);
    expect(asserts.map(({ok}) => ok)).to.deep.equal([true, false, true, true, false]);
  });

  it('passes when everything passes', () => {
    expect(parse(reportOf([finding('pass'), finding('pass')])).results.ok).to.equal(true);
  });

  it('does not pass when nothing was measured', () => {
    expect(parse(reportOf([])).results.ok).to.equal(false);
  });

  it('escapes a text that looks like a directive', () => {
    const {asserts} = parse(reportOf([finding('fail', {subject: 'x # TODO later'})]));
    expect(asserts[0]?.todo).to.equal(false);
    expect(asserts[0]?.name).to.include('# TODO later');
  });
});
