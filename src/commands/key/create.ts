import {Flags} from '@oclif/core';
import {shownStore, storeFlags, storeLocation, withStoreAdmin} from '../../admin/admin.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {durationFlag} from '../../flags.js';
import type {ApiKeyInfo} from '../../server/admin/admin.js';

export default class KeyCreate extends BaseCommand<ApiKeyInfo & {api_key: string}> {
  static override description =
    'Prints the key on stdout, alone on one line, once; the store keeps only its hash. Works while the service runs, and creates an organization with its first key.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --organization acme --description ci',
    'KEY=$(<%= config.bin %> <%= command.id %> --organization acme --expires 720h)',
  ];

  static override flags = {
    access: Flags.option({
      default: 'full',
      description: 'full, or read: the key may list and get connectors, and nothing else',
      options: ['full', 'read'] as const,
    })(),
    description: Flags.string({description: 'purpose of the key', helpValue: 'TEXT'}),
    expires: durationFlag({description: 'lifetime of the key (default: until it is revoked)'}),
    organization: Flags.string({
      aliases: ['org'],
      default: 'default',
      description: 'organization of the key',
      helpValue: 'NAME',
    }),
    ...storeFlags,
  };

  static override summary = 'Create an API key for an organization of the reference service';

  async run(): Promise<ApiKeyInfo & {api_key: string}> {
    const {flags} = await this.parse(KeyCreate);
    const {record, secret} = await withStoreAdmin(flags, this.io, (keyring) =>
      keyring.create({
        organization: flags.organization,
        access: flags.access,
        description: flags.description ?? null,
        expiresAt: flags.expires === undefined ? null : Date.now() + flags.expires,
      }),
    );
    this.io.consequence = `The API key was created, but lost with the output. Revoke it with: connectorctl key revoke ${record.id}`;
    await this.print(`${secret}\n`);
    const store = await shownStore(storeLocation(flags));
    this.logToStderr(
      `Created key ${record.id} of organization ${record.organization} in the store ${store}. It ${record.access === 'read' ? 'may only read, and ' : ''}is not shown again.`,
    );
    return {...record, api_key: secret};
  }
}
