import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {outputMode} from '../../../src/cli/errors/command-line.js';
import {root} from '../../support/sources.js';

describe('the mode of the output', () => {
  for (const line of [
    '--json',
    '-o json',
    '-ojson',
    '-o=json',
    '--output json',
    '--output=json',
    '-qo json',
    '-qwojson',
  ]) {
    it(`is true with ${line}`, () => {
      const words = ['connector', 'list', ...line.split(' ')];
      expect(outputMode(words, {})).to.equal('json');
      expect(outputMode(words, {CONNECTORCTL_OUTPUT: 'yaml'})).to.equal('json');
    });
  }

  for (const line of [
    '',
    '-o yaml',
    '--output=id',
    '-o',
    '-- --json',
    '-- -o json',
    'json',
    '-no json',
    '-n -qo=yaml',
  ]) {
    it(`is false with "${line}"`, () => {
      expect(outputMode(line.split(' '), {})).to.equal('text');
    });
  }

  it('is that of the variable for commands that read it, unless a flag overrides it', () => {
    const env = {CONNECTORCTL_OUTPUT: 'json'};
    expect(outputMode(['connector', 'get', 'x'], env)).to.equal('json');
    expect(outputMode(['connector', 'get', 'x', '-o', 'id'], env)).to.equal('text');
    expect(outputMode(['whoami'], env)).to.equal('text');
  });

  it('knows each command that reads the variable', () => {
    const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));
    const reading = Object.keys(commands).filter((id) => commands[id].flags.output?.env);
    const known = Object.keys(commands).filter(
      (id) => outputMode([id], {CONNECTORCTL_OUTPUT: 'json'}) === 'json',
    );
    expect(known).to.deep.equal(reading);
  });

  it('is JSON when --json contradicts --output, and a plugin only for a check', () => {
    expect(outputMode(['connector', 'list', '--json', '-o', 'id'], {})).to.equal('json');
    expect(outputMode(['connector', 'check', '-o', 'nagios'], {})).to.equal('plugin');
    expect(outputMode(['connector', 'list', '-o', 'nagios'], {})).to.equal('text');
  });

  it('is that of the command that run starts, also with --json', () => {
    const wrapping = ['connector', 'run', '--json', '--', 'true'];
    expect(outputMode(wrapping, {})).to.equal('command');
    expect(outputMode(['connector', 'run', '--json'], {})).to.equal('json');
  });
});
