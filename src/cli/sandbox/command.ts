import {readBaseUrl} from '../../client/settings.js';
import type {SandboxOperation} from '../../contract/sandbox-endpoints.js';
import {globalFlags, serviceFlags} from '../flags.js';
import {ServiceCommand} from '../service-command.js';
import {callSandbox} from './client.js';

const {'base-url': baseUrl, profile, timeout} = serviceFlags;

/** A command that controls a sandbox. It sends one request without a key, so it has few of the flags. */
export abstract class SandboxCommand<Result> extends ServiceCommand<Result> {
  static override baseFlags = {
    ...globalFlags,
    'base-url': baseUrl,
    profile,
    timeout,
  } as typeof ServiceCommand.baseFlags;

  /**
   * Calls a control route of the sandbox at the base URL of the settings.
   *
   * @param defaultTimeout time limit in milliseconds where no setting has one
   */
  protected async call<Response>(
    operation: SandboxOperation,
    body?: object,
    defaultTimeout?: number,
  ): Promise<Response> {
    const {baseUrl, timeout} = await this.settingsByUrl();
    const isSet = timeout.origin !== 'default';
    const limit = isSet ? timeout.value : (defaultTimeout ?? timeout.value);
    return callSandbox<Response>(readBaseUrl(baseUrl.value), {operation, body, timeout: limit});
  }
}
