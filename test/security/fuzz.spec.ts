import {expect} from 'chai';
import {fuzz} from '../support/fuzz/run.js';

describe('fuzzed requests', () => {
  it('get documented responses, and never data of another organization', async () => {
    const {requests, responses} = await fuzz(2000, 1);
    expect(requests).to.be.at.least(2000);
    // Guards against a run in which every request is refused early.
    expect(responses).to.include.keys('GET 200', 'POST 200', 'POST 201', 'POST 400', 'POST 413');
  });
});
