import {expect} from 'chai';
import {connectionsThatFit} from '../../../src/server/net/open-files.js';

const limits = (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max processes             95928                95928                processes 
Max open files            ${files.padEnd(20)} 1048576              files     
`;

describe('the connections that fit into the limit of open files', () => {
  it('leave some to the store', () => {
    expect(connectionsThatFit(limits('20000'))).to.equal(19_744);
  });

  it('are never none', () => {
    expect(connectionsThatFit(limits('100'))).to.equal(1);
  });

  it('are not known where there is no limit, or where the system does not tell', () => {
    expect(connectionsThatFit(limits('unlimited'))).to.equal(undefined);
    expect(connectionsThatFit(undefined)).to.equal(undefined);
  });
});
