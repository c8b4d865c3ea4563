import {expect} from 'chai';
import {inheritedOf} from '../../../src/cli/terminal/descriptors.js';

describe('the inherited descriptors', () => {
  it('are those below the first of Node, and later ones except its pipes and its own kinds', () => {
    const open = new Map([
      [0, '/dev/null'],
      [1, 'pipe:[1]'],
      [2, 'pipe:[1]'],
      [3, 'pipe:[2]'],
      [4, 'pipe:[2]'],
      [5, 'anon_inode:[eventpoll]'],
      [6, 'pipe:[3]'],
      [7, '/var/log/agent.log'],
      [8, 'pipe:[3]'],
      [9, 'socket:[4]'],
      [10, 'pipe:[5]'],
      [11, 'anon_inode:[eventfd]'],
    ]);
    expect(inheritedOf(open)).to.deep.equal([3, 4, 7, 9, 10]);
  });
});
