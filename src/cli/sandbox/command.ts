import {readBaseUrl} from '../../client/settings.js';
import type {SandboxOperation} from '../../contract/sandbox-endpoints.js';
import {ServiceCommand} from '../command/service-command.js';
import {globalFlags, serviceFlags} from '../flags.js';
import {callSandbox} from './client.js';
import {controlTokenFlags, readControlToken} from './token.js';

type ControlTokenFlags = Parameters<typeof readControlToken>[0];

const {'base-url': baseUrl, profile, timeout} = serviceFlags;

/** What a request has besides its operation. */
interface Content {
  readonly params?: {readonly id: string};
  readonly body?: object;
  /** Time limit in milliseconds where no setting has one. */
  readonly defaultTimeout?: number;
}

/** A command that controls a sandbox. It sends one request without a key, so it has few of the flags. */
export abstract class SandboxCommand<Result> extends ServiceCommand<Result> {
  static override baseFlags = {
    ...({
      ...globalFlags,
      'base-url': baseUrl,
      profile,
      timeout,
    } as typeof ServiceCommand.baseFlags),
    ...controlTokenFlags,
  };

  /** Calls a control route of the sandbox at the base URL of the settings. */
  protected async call<Response>(
    operation: SandboxOperation,
    {params, body, defaultTimeout}: Content = {},
  ): Promise<Response> {
    const {baseUrl, timeout} = await this.settingsByUrl();
    const isSet = timeout.origin !== 'default';
    const limit = isSet ? timeout.value : (defaultTimeout ?? timeout.value);
    const token = await readControlToken(this.commandLine.flags as ControlTokenFlags);
    const call = {operation, params, body, token, timeout: limit};
    return callSandbox<Response>(readBaseUrl(baseUrl.value), call);
  }
}
