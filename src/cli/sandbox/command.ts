import {readBaseUrl} from '../../client/settings.js';
import type {SandboxOperation} from '../../contract/sandbox-endpoints.js';
import {ServiceCommand} from '../service-command.js';
import {callSandbox} from './client.js';

/** A command that controls a sandbox. */
export abstract class SandboxCommand<Result> extends ServiceCommand<Result> {
  /** Calls a control route of the sandbox at the base URL of the settings. */
  protected async call<Response>(operation: SandboxOperation, body?: object): Promise<Response> {
    const {baseUrl} = await this.settingsByUrl();
    return callSandbox<Response>(readBaseUrl(baseUrl.value), operation, body);
  }
}
