import {expect} from 'chai';
import * as fc from 'fast-check';
import {
  evaluateRule,
  type Figures,
  parseBound,
  type Rule,
} from '../../../src/domain/check/rules.js';
import type {RuleName} from '../../../src/domain/check/sentence.js';

const figures: Figures = {count: 27, base: 500, oldest: undefined};
const percent = (value: number) => ({value, unit: '%'}) as const;
const count = (value: number) => ({value, unit: ''}) as const;

describe('parseBound', () => {
  for (const [text, bound] of [
    ['3', count(3)],
    ['0', count(0)],
    ['95%', percent(95)],
    ['99.5%', percent(99.5)],
    [' 5% ', percent(5)],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => {
      expect(parseBound(text)).to.deep.equal(bound);
    });
  }

  for (const text of ['', '%', '-1', '101%', '1.5', '1e3', '5 %%', 'many']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseBound(text)).to.equal(undefined);
    });
  }
});

describe('a rule on a fleet', () => {
  const status = (rule: Rule, changes: Partial<Figures> = {}) =>
    evaluateRule(rule, {...figures, ...changes}, 'connectors').status;

  it('max-offline holds up to exactly its bound', () => {
    expect(status({name: 'max-offline', fail: count(27)})).to.equal('pass');
    expect(status({name: 'max-offline', fail: count(26)})).to.equal('fail');
  });

  it('a percentage of no connectors does not hold', () => {
    const none = {base: 0, count: 0};
    expect(status({name: 'min-online', fail: percent(0)}, none)).to.equal('fail');
    expect(status({name: 'max-offline', fail: percent(100)}, none)).to.equal('fail');
  });

  it('max-age compares seconds, shows them rounded up, and fails for one without a heartbeat', () => {
    const rule: Rule = {name: 'max-age', fail: {value: 7200, unit: 's'}};
    const of = (oldest: number | undefined, count = 0) => status(rule, {oldest, count});
    expect([of(7200), of(7200.5), of(undefined), of(7200, 1)]).to.deep.equal([
      'pass',
      'fail',
      'pass',
      'fail',
    ]);
    const old = {...figures, count: 0, oldest: 7200.5};
    expect(evaluateRule(rule, old, 'connectors').message).to.include('is 7201 s old');
  });

  it('warns when only the bound of the warning is exceeded', () => {
    const rule: Rule = {name: 'max-offline', fail: percent(10), warn: percent(1)};
    expect(status(rule)).to.equal('warn');
    expect(status(rule, {count: 51})).to.equal('fail');
    expect(status(rule, {count: 5})).to.equal('pass');
  });

  it('reports number, percentage and bound, with a measurement in the unit of the bound', () => {
    const finding = evaluateRule(
      {name: 'min-online', fail: percent(95)},
      {...figures, count: 471},
      'expected connectors',
    );
    expect(finding.message).to.equal(
      '471 of 500 expected connectors are online (94.2 %); required: at least 95 %',
    );
    expect(finding.measurement).to.deep.equal({
      value: 94.2,
      unit: '%',
      warning: undefined,
      critical: {min: 95},
    });
  });

  it('compares percentages exactly, and shows one as reached only when it is', () => {
    const bounds = fc.integer({min: 0, max: 1_000_000}).map((value) => value / 10_000);
    const fleets = fc.integer({min: 1, max: 20_000});
    const names = fc.constantFrom<RuleName>('min-online', 'max-offline');
    fc.assert(
      fc.property(
        names,
        bounds,
        fleets,
        fc.integer({min: -2, max: 2}),
        (name, bound, base, off) => {
          // Near the bound, where rounding decides.
          const near = Math.round((bound * base) / 100) + off;
          const count = Math.min(base, Math.max(0, near));
          const changed = {...figures, base, count};
          const {status: found, message} = evaluateRule(
            {name, fail: percent(bound)},
            changed,
            'connectors',
          );
          const share = BigInt(count) * 1_000_000n;
          const limit = BigInt(Math.round(bound * 10_000)) * BigInt(base);
          const isMet = name === 'min-online' ? share >= limit : share <= limit;
          expect(found === 'pass').to.equal(isMet);
          const shown = Number(/\((?:< [\d.]+|([\d.]+)) %\)/.exec(message)?.[1] ?? 0);
          expect(name === 'min-online' ? shown >= bound : shown <= bound, message).to.equal(isMet);
        },
      ),
      {examples: [['min-online', 0.07, 10_000, 0]]},
    );
  });
});
