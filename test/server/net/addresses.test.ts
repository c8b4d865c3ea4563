import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {addressMatcher, readAddresses} from '../../../src/server/net/addresses.js';
import {Service} from '../../support/server/service.js';

describe('a list of addresses', () => {
  for (const list of [
    '10.0.0.7',
    '10.1.0.0/16, ::1',
    'loopback',
    'linklocal,uniquelocal,fd00::/8',
  ]) {
    it(`accepts ${list}`, () => {
      expect(readAddresses('trustProxy', list)).to.deep.equal(list.split(/, ?/));
    });
  }

  for (const list of [
    '',
    'true',
    '*',
    '10.0.0.7,',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '1',
    '10/8',
  ]) {
    it(`refuses ${JSON.stringify(list)}`, () => {
      expect(() => readAddresses('trustProxy', list))
        .to.throw(AppError, 'The trusted proxy "')
        .with.property('details')
        .that.includes({setting: 'trustProxy'});
    });
  }

  for (const [list, address, has] of [
    ['loopback', '127.8.8.8', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '192.0.2.1', false],
    ['uniquelocal', '172.31.0.1', true],
    ['uniquelocal', '172.32.0.1', false],
    ['10.0.0.7,2001:db8::/32', '10.0.0.7', true],
    ['10.0.0.7,2001:db8::/32', '10.0.0.8', false],
    ['10.0.0.7,2001:db8::/32', '2001:db8::9', true],
    ['0.0.0.0/0,::/0', 'unknown', false],
    ['0.0.0.0/0', '192.0.2.1', true],
    ['0.0.0.0/0', '9.0.0.1', true],
    ['0.0.0.0/0', '2001:db8::9', false],
    ['::/0', '2001:db8::9', true],
    ['::/0', 'fd00::1', true],
  ] as const) {
    it(`${has ? 'matches' : 'does not match'} ${address} with "${list}"`, () => {
      expect(addressMatcher(readAddresses('metricsAllow', list) ?? [])(address)).to.equal(has);
    });
  }
});

describe('trusted proxies', () => {
  for (const {from, says, address, proxies = '10.0.0.7'} of [
    {from: '10.0.0.7', says: '192.0.2.1', address: '10.0.0.7', proxies: null},
    {from: '10.0.0.7', says: '192.0.2.1', address: '192.0.2.1'},
    {from: '10.0.0.7', says: '203.0.113.5, 192.0.2.1', address: '192.0.2.1'},
    {from: '10.0.0.7', says: '192.0.2.1, 10.0.0.7', address: '192.0.2.1'},
    {from: '10.0.0.8', says: '192.0.2.1', address: '10.0.0.8'},
    {from: '10.0.0.7', says: '192.0.2.1:54321', address: '192.0.2.1'},
    {from: '10.0.0.7', says: '192.0.2.1:54321, 10.0.0.7:80', address: '192.0.2.1'},
    {from: '10.0.0.7', says: '[2001:db8::9]:54321', address: '2001:db8::9'},
    {from: '10.0.0.7', says: '[2001:db8::9]', address: '2001:db8::9'},
    {from: '10.0.0.7', says: '2001:db8::9', address: '2001:db8::9'},
  ]) {
    it(`make ${address} the caller when ${from} sends X-Forwarded-For: ${says}, with ${proxies}`, async () => {
      const trustProxy = readAddresses('trustProxy', proxies ?? undefined);
      const service = await new Service({trustProxy}).start();
      await service.call('createToken', {address: from, headers: {'x-forwarded-for': says}});
      const audited = service.lines.find(({message}) => message === 'audit');
      expect(audited?.fields).to.include({address});
    });
  }
});
