import {expect} from 'chai';
import * as fc from 'fast-check';
import {escapeControl} from '../../src/terminal/escape.js';
import {awkwardText, terminalControls} from '../support/values/render.js';

describe('escapeControl', () => {
  const shown: [value: string, text: string][] = [
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['a\nb\r\tc', 'a\\x0ab\\x0d\\x09c'],
    ['\u0000\u007f\u0085\u009b', '\\x00\\x7f\\x85\\x9b'],
    ['a\u202eb\u202c', 'a\\u202eb\\u202c'],
    ['\u2066\u2069\u200e\u200f\u061c', '\\u2066\\u2069\\u200e\\u200f\\u061c'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\u200b\u2060\ufeff\u00ad', '\\u200b\\u2060\\ufeff\\xad'],
    ['\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
    ['\ud83d!', '\\ud83d!'],
    ['!\udc00', '!\\udc00'],
    ['##vso[task.setvariable variable=a]b', '\\x23#vso[task.setvariable variable=a]b'],
    ["a ##teamcity[testFailed name='b']", "a \\x23#teamcity[testFailed name='b']"],
    ['##[error]a', '\\x23#[error]a'],
    ['###[group]', '#\\x23#[group]'],
    ['::error file=a,line=1::b', '\\x3a:error file=a,line=1::b'],
    ['::error file=C:1::b', '\\x3a:error file=C:1::b'],
    ['a  ::set-output name=a::b', 'a  \\x3a:set-output name=a::b'],
  ];
  for (const [value, text] of shown) {
    it(`writes the escapes of ${text}`, () => {
      expect(escapeControl(value)).to.equal(text);
    });
  }

  it('does not change ordinary text in any script, or emoji', () => {
    const texts = ['build-1', 'C:\\x1b', 'café', 'cafe\u0301', '漢字 かな 한글', 'עברית العربية'];
    const signs = [
      '::1',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      'Web::Server::1',
      'a::b',
      '##',
      '## 1',
      'C# [1]',
      '#[x]',
    ];
    const emoji = ['👩‍💻', '👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', '☎️', '1️⃣', '🏴‍☠️'];
    const joined = ['می\u200cخواهم', 'क्\u200dष', '葛\u{e0100}', '\u00a0', '\ue0b0'];
    for (const text of [...texts, ...signs, ...emoji, ...joined]) {
      expect(escapeControl(text)).to.equal(text);
    }
  });

  it('leaves no control characters and no line breaks', () => {
    fc.assert(
      fc.property(awkwardText, (value) => {
        const text = escapeControl(value);
        expect(text).not.to.match(terminalControls);
        expect(text).not.to.include('\n');
        expect(escapeControl(text)).to.equal(text);
      }),
    );
  });
});
