import {Flags, type Interfaces} from '@oclif/core';
import {type Bound, defaultRules, parseBound, type Rule} from '../../domain/check/rules.js';
import {flawRules, type RuleName, ruleNames} from '../../domain/check/sentence.js';
import {AppError} from '../../errors.js';
import {parseDuration, textFlag} from '../../flags.js';

const boundFlag = (description: string, exclusive: string[] = []) =>
  textFlag({description, exclusive, helpGroup: 'RULE', helpValue: 'N|P%'});

export const ruleFlags = {
  'max-age': textFlag({
    description:
      'maximum age of the last heartbeat, by the clock of the service; a connector without a heartbeat is too old',
    helpGroup: 'RULE',
    helpValue: 'DURATION',
  }),
  'max-contradicted': boundFlag(
    'at most this many that the service calls online although their last heartbeat is too old, or in the future (default 0)',
    ['online-within'],
  ),
  'max-never': boundFlag('at most this many that never sent a heartbeat'),
  'max-offline': boundFlag('at most this many offline'),
  'max-restarting': boundFlag(
    'at most this many whose process started five times within an hour (default 0)',
  ),
  'max-shared': boundFlag(
    'at most this many with heartbeats from two processes, such as a machine and its clone (default 0)',
  ),
  'max-stale': boundFlag('at most this many stale'),
  'min-online': boundFlag('at least this many online'),
  'min-total': textFlag({
    description: 'at least this many in all, not counting revoked ones (default 1)',
    helpGroup: 'RULE',
    helpValue: 'N',
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
 * least one connector must exist, and none may break one of `flawRules`, unless a flag says otherwise.
 *
 * @param expectsSome false for an inventory of connectors that should all be absent: none of them can be online
 * @throws AppError `usage` naming the flag
 */
export function readRules(flags: RuleFlags, expectsSome: boolean): readonly Rule[] {
  const rules = new Map<RuleName, Rule>();
  const add = (rule: Rule) => rules.set(rule.name, {...rules.get(rule.name), ...rule});
  for (const name of ruleNames) {
    const text = flags[name];
    if (text !== undefined) add({name, fail: readBound(name, text, `--${name}`)});
  }
  const hasFlag = rules.size > 0;
  for (const assignment of flags.warn ?? []) add(readWarning(assignment));
  const usual = expectsSome ? defaultRules : defaultRules.filter(({name}) => name !== 'min-online');
  for (const rule of hasFlag ? [] : usual) if (!rules.has(rule.name)) add(rule);
  add({name: 'min-total', fail: {value: 1, unit: ''}, ...rules.get('min-total')});
  for (const name of flawRules)
    if (!rules.has(name)) add({name, fail: {value: 0, unit: ''}, isImplied: true});
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
