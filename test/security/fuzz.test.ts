import {expect} from 'chai';
import {fuzz} from '../support/fuzz/run.js';

describe('whatever comes over the wire', () => {
  it('is answered as the OpenAPI document says, and never with what is not the caller’s', async () => {
    const {requests, responses} = await fuzz(2000, 1);
    expect(requests).to.be.at.least(2000);
    // Were nothing but refusals met, nothing would have been tried.
    expect(responses).to.include.keys('GET 200', 'POST 200', 'POST 201', 'POST 400', 'POST 413');
  });
});
