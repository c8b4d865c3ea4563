import {expect} from 'chai';
import {valueReader} from '../../../src/client/read/connector.js';

describe('valueReader', () => {
  const raw = {
    state: 'up',
    labels: {rack: 12, 'app/name': 'x', 'a.b': {c: true}},
    'flat.name': 'f',
    tags: ['t0', 't1'],
    none: null,
  };
  const one = {id: 'i', last_heartbeat_at: null, ...raw};
  const cases = {
    id: 'i',
    status: 'up',
    last_heartbeat_at: null,
    state: 'up',
    'labels.rack': 12,
    'labels.app/name': 'x',
    'labels.a.b.c': true,
    'flat.name': 'f',
    'tags.1': 't1',
    none: null,
    labels: raw.labels,
    name: undefined,
    'labels.row': undefined,
    'labels.rack.row': undefined,
    toString: undefined,
    'labels.constructor': undefined,
    constructor: undefined,
    '__proto__.toString': undefined,
  };
  for (const [path, expected] of Object.entries(cases)) {
    it(`reads ${path}`, () => {
      expect(valueReader(path)(one)).to.equal(expected);
    });
  }
});
