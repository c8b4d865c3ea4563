import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {connectionsThatFit} from '../../../src/server/net/open-files.js';

const limits = (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max processes             95928                95928                processes 
Max open files            ${files.padEnd(20)} 1048576              files     
`;

describe('the number of connections that fit into the limit of open files', () => {
  it('leaves files for the store', () => {
    expect(connectionsThatFit(limits('20000'))).to.equal(19_744);
  });

  it('must be at least 64, or the service does not start', () => {
    expect(connectionsThatFit(limits('320'))).to.equal(64);
    for (const files of ['64', '256', '319']) {
      expect(() => connectionsThatFit(limits(files)))
        .to.throw(AppError, `The limit of open files is ${files}; the service needs at least 320.`)
        .with.property('reason', 'open-file-limit-too-low');
    }
  });

  it('is 100,000 without a limit, or when the limit is unknown or higher', () => {
    expect(connectionsThatFit(limits('1048576'))).to.equal(100_000);
    expect(connectionsThatFit(limits('unlimited'))).to.equal(100_000);
    expect(connectionsThatFit(undefined)).to.equal(100_000);
  });
});
