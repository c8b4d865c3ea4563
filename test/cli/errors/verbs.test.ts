import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {commandForVerb, intents, topics} from '../../../src/cli/errors/verbs.js';
import {root} from '../../support/sources.js';

interface Manifest {
  readonly commands: Readonly<Record<string, {readonly flags: object; readonly hidden?: boolean}>>;
}
const {commands}: Manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));
const names = Object.keys(commands).map((id) => id.replaceAll(':', ' '));
const ownTopics = new Set(
  names.map((name) => name.split(' ').slice(0, -1).join(' ')).filter((topic) => topic !== ''),
);
const verbs = Object.values(intents).flatMap((words) => words.split(' '));

/** The command at the start of a suggestion, whose flags must be its own. */
function checkCommand(suggested: string): void {
  const name = names.find((each) => `${suggested} `.startsWith(`${each} `));
  expect(name, suggested).not.to.equal(undefined);
  const {flags = {}} = commands[name?.replaceAll(' ', ':') ?? ''] ?? {};
  const used = [...suggested.matchAll(/--([\w-]+)/g)].map(([, flag]) => flag);
  expect(flags, suggested).to.include.keys(['json', ...used]);
}

describe('the first verbs of people who know other tools', () => {
  it('are in one list each', () => expect(new Set(verbs).size).to.equal(verbs.length));

  it('are known for each topic', () =>
    expect(Object.keys(topics).sort()).to.deep.equal([...ownTopics].sort()));

  for (const topic of ownTopics) {
    it(`lead to a command that exists, with flags that it has: ${topic}`, () => {
      for (const verb of verbs) {
        const [after] = commandForVerb([...topic.split(' '), verb, 'x'], names) ?? [''];
        checkCommand(after);
        const isExact = names.includes(`${topic} ${verb}`);
        if (isExact) expect(after).to.equal(`${topic} ${verb}`);
        if (topic.includes(' ')) continue;
        expect(commandForVerb([verb, topic, 'x'], names)?.[0]).to.equal(after);
        expect(commandForVerb([`${topic}s`, verb], names)?.[0]).to.equal(after);
      }
    });
  }

  it('lead to a command without a topic too', () => {
    for (const verb of verbs) checkCommand(commandForVerb([verb], names)?.[0] ?? '');
  });

  it('give the reason where there is no such operation', () => {
    for (const words of [
      'connector rename a b',
      'key rotate',
      'token revoke x',
      'config set a b',
    ]) {
      expect(commandForVerb(words.split(' '), names)?.[1], words).to.be.a('string');
    }
  });

  it('are not found in other words', () => {
    for (const words of [['nope'], ['connector', 'frobnicate'], ['connector'], ['constructor']]) {
      expect(commandForVerb(words, names), words.join(' ')).to.equal(undefined);
    }
  });
});
