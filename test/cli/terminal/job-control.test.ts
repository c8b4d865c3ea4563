import {expect} from 'chai';
import {fromPs, fromStat} from '../../../src/cli/terminal/job-control.js';

describe('the job state of a process', () => {
  const none = {hasTerminal: false, isForeground: false, isLeader: false};

  for (const [what, fields, expected] of [
    ['in the foreground', '10 7 3 34816 7', {hasTerminal: true, isForeground: true}],
    ['in the background', '10 7 3 34816 12', {hasTerminal: true}],
    ['without a terminal', '10 7 7 0 -1', {}],
    [
      'that leads its session',
      '10 42 42 34816 42',
      {hasTerminal: true, isForeground: true, isLeader: true},
    ],
    [
      'of a session outside its namespace',
      '0 0 0 34816 0',
      {hasTerminal: true, isForeground: true},
    ],
  ] as const) {
    it(`is read from /proc for one ${what}`, () => {
      const [parent, ...rest] = fields.split(' ');
      const text = `42 (a ) b) S ${parent} ${rest.join(' ')} 0 0`;
      expect(fromStat(text, 42)).to.deep.equal({...none, ...expected});
    });
  }

  for (const [text, expected] of [
    ['ttys001  Ss+', {hasTerminal: true, isForeground: true, isLeader: true}],
    ['pts/3 S', {hasTerminal: true}],
    ['??       S', {}],
    ['-  Is+', {isLeader: true}],
  ] as const) {
    it(`is read from what ps prints: ${text}`, () => {
      expect(fromPs(`${text}\n`)).to.deep.equal({...none, ...expected});
    });
  }
});
