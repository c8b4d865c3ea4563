import {Flags} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {checkedUrl, isLoopback} from '../../client/settings.js';
import {joinWord} from '../../connector/activate/join.js';
import {inSeconds} from '../../domain/duration.js';
import type {JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {durationFlag} from '../../flags.js';
import {escapeControl} from '../../terminal/escape.js';
import {renderToken, tokenWarnings} from '../../terminal/notices.js';

export default class TokenCreate extends ServiceCommand<JsonObject> {
  static override description =
    'Prints the token on stdout, alone on one line; its expiry and how to use it go to stderr.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    'TOKEN=$(<%= config.bin %> <%= command.id %>)',
    '<%= config.bin %> <%= command.id %> --join',
    '<%= config.bin %> <%= command.id %> --ttl 30m --description "rack 12"',
    '<%= config.bin %> <%= command.id %> --json | jq -r .expires_at',
  ];

  static override flags = {
    description: Flags.string({
      description: 'purpose of the token (extension of the reference service)',
      helpValue: 'TEXT',
    }),
    join: Flags.boolean({
      description: 'print one word that holds the token and the address of the service',
    }),
    'join-url': Flags.string({
      dependsOn: ['join'],
      description: 'address in that word, if other machines reach the service under another one',
      helpValue: 'URL',
    }),
    ttl: durationFlag({
      description: 'lifetime to request (extension of the reference service)',
      min: 1000,
    }),
  };

  static override summary = 'Create an activation token';

  async run(): Promise<JsonObject> {
    const {flags} = await this.parse(TokenCreate);
    const given = flags['join-url'] && checkedUrl(flags['join-url']);
    const {client, settings} = await this.client({sendsToken: true});
    const {baseUrl} = settings;
    const address = given ?? baseUrl.value;
    if (flags.join && given === undefined) requireReachable(address);
    const requested = inSeconds(flags.ttl);
    const token = await this.io.interruptible((signal) =>
      client.createToken({description: flags.description, ttlSeconds: requested}, {signal}),
    );
    this.io.consequence =
      'The activation token was created, but lost with the output. It expires by itself.';
    const join = flags.join ? joinWord(address, token.token) : undefined;
    if (!this.io.json) await this.io.result(tokenLine(join ?? token.token));
    const now = Date.now();
    const isNamed = baseUrl.origin !== 'default' && join === undefined;
    const service = isNamed ? baseUrl.value : undefined;
    // Relative to the service's clock, which decides when the token expires.
    this.logToStderr(renderToken(token, token.serverTime?.getTime() ?? now, service));
    // A virtual clock may show any time.
    const clock = this.facts?.hasVirtualClock ? undefined : now;
    for (const warning of tokenWarnings(token, clock, requested)) this.io.note(warning);
    return join === undefined ? token.raw : {...token.raw, join};
  }
}

/** @throws AppError `usage` for an address of this machine, which other machines cannot reach */
function requireReachable(address: string): void {
  const url = new URL(address);
  const isHere = /^(0\.0\.0\.0|\[::(ffff:0:0)?\]|(.+\.)?localhost\.?)$/.test(url.hostname);
  if (!isLoopback(url) && !isHere) return;
  throw new AppError('usage', `Other machines do not reach ${address}; nothing was done.`, {
    hint: 'Pass the address under which they do, with --join-url URL.',
  });
}

/** A script reads the token as one line, and a terminal acts on control characters in it. */
function tokenLine(token: string): string {
  if (escapeControl(token) === token) return `${token}\n`;
  throw new AppError('protocol', 'The `token` in the response has control characters.', {
    hint: 'If that is intended, print it as JSON: connectorctl token create --json',
  });
}
