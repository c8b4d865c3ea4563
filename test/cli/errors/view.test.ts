import {expect} from 'chai';
import * as fc from 'fast-check';
import {errorJson, renderError as render} from '../../../src/cli/errors/view.js';
import {AppError} from '../../../src/errors.js';
import {noColors, type Palette, sixteenColors} from '../../../src/terminal/escape.js';
import {jsonText} from '../../../src/terminal/formats/json.js';
import {awkwardText, terminalControls} from '../../support/values/render.js';

const used = new AppError('conflict', 'The activation token was already used', {
  hint: 'Create a new one: connectorctl token create',
  code: 'token_used',
  requestId: 'req_7',
  status: 409,
  cause: new Error('act_secret'),
});

const renderError = (error: AppError, palette: Palette, width?: number) =>
  render(error, palette, width);

describe('renderError', () => {
  it('shows the error, the hint, and what to quote in a bug report', async () => {
    expect(await renderError(used, noColors)).to.equal(
      [
        'Error: The activation token was already used',
        '  Create a new one: connectorctl token create',
        '  code token_used, request id req_7',
      ].join('\n'),
    );
  });

  it('omits missing parts', async () => {
    expect(await renderError(new AppError('usage', 'no'), noColors)).to.equal('Error: no');
    const withId = new AppError('remote', 'no', {requestId: 'r'});
    expect(await renderError(withId, noColors)).to.equal('Error: no\n  request id r');
  });

  it('colors the word "Error" and what to quote, but neither the message nor the hint', async () => {
    const text = await renderError(used, await sixteenColors());
    expect(text.split('\n')).to.deep.equal([
      '\u001b[31mError:\u001b[39m The activation token was already used',
      '  Create a new one: connectorctl token create',
      '\u001b[2m  code token_used, request id req_7\u001b[22m',
    ]);
  });

  it('indents the lines of a message, so that none looks like a line of connectorctl', async () => {
    const error = new AppError('remote', 'one\nError: two', {hint: 'three\nfour'});
    expect(await renderError(error, noColors)).to.equal(
      'Error: one\n  Error: two\n  three\n  four',
    );
  });

  it('breaks lines between words on a terminal, but no command to copy', async () => {
    const error = new AppError('usage', `Cannot use the file of ${'日本'.repeat(4)} for this`, {
      hint: 'Create one with: connectorctl token create --ttl 30m. Or leave it out.',
    });
    expect((await renderError(error, noColors, 30)).split('\n')).to.deep.equal([
      'Error: Cannot use the file',
      '  of 日本日本日本日本 for this',
      '  Create one with:',
      '  connectorctl token create --ttl 30m.',
      '  Or leave it out.',
    ]);
  });

  it('escapes control characters of a service', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardText, async (text) => {
        const error = new AppError('remote', text, {hint: text, code: text, requestId: text});
        expect(await renderError(error, noColors)).not.to.match(terminalControls);
      }),
    );
  });
});

describe('errorJson', () => {
  it('includes the delay in whole seconds, and that the outcome is unknown', () => {
    const error = new AppError('unavailable', 'busy', {retryAfter: 1500, outcomeUnknown: true});
    expect(errorJson(error).error).to.include({retry_after: 2, outcome_unknown: true});
  });

  it('has only the fields for scripts', () => {
    expect(JSON.parse(jsonText(errorJson(used)))).to.deep.equal({
      error: {
        kind: 'conflict',
        exit_code: 5,
        message: 'The activation token was already used',
        hint: 'Create a new one: connectorctl token create',
        code: 'token_used',
        request_id: 'req_7',
        status: 409,
      },
    });
    expect(jsonText(errorJson(used))).not.to.include('act_secret');
  });
});
