import {Flags, type Interfaces} from '@oclif/core';
import {
  atLeastOne,
  type Bound,
  defaultRules,
  impliedRules,
  parseBound,
  type Rule,
} from '../../domain/check/rules.js';
import {predicateOf, type RuleName, ruleNames, ruleTable} from '../../domain/check/sentence.js';
import {AppError} from '../../errors.js';
import {parseDuration} from '../../flags.js';

const boundFlag = (name: RuleName) => {
  const {counts} = ruleTable[name];
  const initial = [atLeastOne, ...impliedRules].find((rule) => rule.name === name)?.fail?.value;
  const most = name.startsWith('min-') ? 'least' : 'most';
  const initially = initial === undefined ? '' : ` (default ${initial})`;
  return Flags.string({
    description: `at ${most} this many ${predicateOf(counts)}${initially}`,
    exclusive: counts === 'contradicted' ? ['online-within'] : [],
    helpGroup: 'RULE',
    helpValue: name === 'min-total' ? 'N' : 'N|P%',
  });
};

export const ruleFlags = {
  ...(Object.fromEntries(ruleNames.toSorted().map((name) => [name, boundFlag(name)])) as Record<
    RuleName,
    ReturnType<typeof boundFlag>
  >),
  'max-age': Flags.string({
    description:
      'maximum age of the last heartbeat, by the clock of the service; a connector without a heartbeat is too old',
    helpGroup: 'RULE',
    helpValue: 'DURATION',
  }),
  warn: Flags.string({
    description: 'bound that warns instead of failing, such as max-offline=1%; may be repeated',
    helpGroup: 'RULE',
    helpValue: 'RULE=VALUE',
    multiple: true,
  }),
};

/** The values of the rules' flags, each as it was typed. */
type RuleFlags = Partial<Interfaces.InferredFlags<typeof ruleFlags>>;

/**
 * Reads the rules from their flags. Without a flag of a rule, `defaultRules` apply, except those that `--warn` names. At
 * least one connector must exist, and none may break one of `impliedRules`, unless a flag says otherwise.
 *
 * @param expectsSome false for an inventory of connectors that should all be absent: none of them can be online
 * @throws AppError `usage` naming the flag
 */
export function readRules(flags: RuleFlags, expectsSome: boolean): readonly Rule[] {
  const rules = new Map<RuleName, Rule>([['min-total', atLeastOne]]);
  const add = (rule: Rule) => rules.set(rule.name, {...rules.get(rule.name), ...rule});
  const given = ruleNames.filter((name) => flags[name] !== undefined);
  for (const name of given) add({name, fail: readBound(name, flags[name] ?? '', `--${name}`)});
  for (const assignment of flags.warn ?? []) add(readWarning(assignment));
  const usual = given.length > 0 ? [] : defaultRules;
  for (const rule of [...usual, ...impliedRules]) {
    if (!rules.has(rule.name) && (expectsSome || rule.name !== 'min-online')) add(rule);
  }
  return ruleNames.flatMap((name) => rules.get(name) ?? []);
}

function readWarning(assignment: string): Rule {
  const [word = '', text] = assignment.split(/=(.*)/s);
  const name = ruleNames.find((candidate) => candidate === word);
  if (name === undefined || text === undefined) {
    throw new AppError('usage', `--warn ${JSON.stringify(assignment)} names no rule.`, {
      hint: `Write RULE=VALUE, such as max-offline=1%. A rule is one of: ${ruleNames.join(', ')}.`,
    });
  }
  return {name, warn: readBound(name, text, `--warn ${name}`)};
}

function readBound(name: RuleName, text: string, flag: string): Bound {
  if (name === 'max-age') return {value: parseDuration(text, flag) / 1000, unit: 's'};
  const bound = parseBound(text);
  if (bound !== undefined && (name !== 'min-total' || bound.unit === '')) return bound;
  throw new AppError('usage', `${flag} ${JSON.stringify(text)} is not a bound.`, {
    hint:
      name === 'min-total'
        ? 'Write a number of connectors, such as 3.'
        : 'Write a number of connectors, such as 3, or a percentage, such as 95%.',
  });
}
