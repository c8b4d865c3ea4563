import {Flags} from '@oclif/core';
import {inputFlags} from '../cli/flags.js';
import {type LoginResult, login} from '../cli/login.js';
import {ServiceCommand} from '../cli/service-command.js';

export default class Login extends ServiceCommand<LoginResult> {
  static override description =
    'Asks for the URL and the API key, tries them against the service, and saves them as a profile. The key goes to a file of its own that only you can read.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --name prod --base-url https://connectors.example',
    'pass show prod | <%= config.bin %> <%= command.id %> --name prod --base-url https://connectors.example --api-key-file -',
  ];

  static override flags = {
    ...inputFlags,
    name: Flags.string({
      default: 'default',
      description: 'name of the profile to save',
      helpValue: 'NAME',
    }),
  };

  static override summary = 'Save a service and its API key as a profile';

  async run(): Promise<LoginResult> {
    const parsed = await this.parse(Login);
    const result = await login(await this.settings(parsed), this.profiles, parsed.flags);
    this.say(`The service accepts the key. Saved as profile ${result.name}, now in use.`);
    return result;
  }
}
