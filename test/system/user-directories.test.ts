import {userInfo} from 'node:os';
import {expect} from 'chai';
import {homeDirectory, userDirectory} from '../../src/system/user-directories.js';

const own = userInfo().homedir;

describe('the home directory', () => {
  for (const [what, env, expected] of [
    ['HOME', {HOME: '/home/a'}, '/home/a'],
    ['that of the user database where HOME is empty', {HOME: ''}, own],
    ['that of the user database where HOME is relative', {HOME: 'a'}, own],
    ['that of the user database without HOME', {}, own],
  ] as const) {
    it(`is ${what}, never one for temporary files`, () =>
      expect(homeDirectory({...env, TMPDIR: '/t'})).to.equal(expected));
  }
});

describe("a directory of the user's files", () => {
  const home = {HOME: '/home/a'};
  for (const [purpose, env, base, path] of [
    ['config', home, '/home/a', '/home/a/.config/connectorctl'],
    ['data', home, '/home/a', '/home/a/.local/share/connectorctl'],
    ['config', {...home, XDG_CONFIG_HOME: '/c'}, '/c', '/c/connectorctl'],
    ['data', {...home, XDG_DATA_HOME: '/d'}, '/d', '/d/connectorctl'],
    ['config', {...home, XDG_CONFIG_HOME: 'c'}, '/home/a', '/home/a/.config/connectorctl'],
  ] as const) {
    it(`is ${path} for ${purpose} with ${Object.entries(env).join(' ')}`, () =>
      expect(userDirectory(purpose, env)).to.deep.equal({base, path}));
  }
});
