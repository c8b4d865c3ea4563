import {hostname} from 'node:os';
import {AppError} from '../../errors.js';
import {lockTimeout} from '../../system/process-lock.js';
import {escapeControl} from '../../terminal/escape.js';
import {ActivationInput} from '../activate/input.js';
import {activateMachine, previewActivation} from '../activate/machine.js';
import {joinedService, serviceOf} from '../activate/plan.js';
import {saved} from '../activate/result.js';
import type {ConnectionSource} from './flags.js';
import {type HeartbeatReport, timeoutsPerTurn} from './report.js';

/**
 * Prepares the completion of a credentials file at the first start of a machine; at later starts its token may be gone.
 * Each call of the returned function is one attempt, which also waits for another process that activates into the file.
 *
 * @throws AppError of the preparation, or of an attempt; see `mayRepeat`
 */
export async function prepareFirstStart(
  path: string,
  {flags, services, io}: ConnectionSource,
  report: Pick<HeartbeatReport, 'begin'>,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const input = new ActivationInput(flags, {name: hostname(), io});
  const target = {path, force: false};
  const plan = await previewActivation(target, input, io);
  // Without a usable token there is nothing to wait for.
  if (plan.do === 'activate') {
    if ((await input.given()) === undefined) throw noToken(path);
    await input.resolve();
  }
  const settings = joinedService(serviceOf(plan, await services.settings(), path), input.joined);
  const client = await services.connect(settings, true);
  const baseUrl = settings.baseUrl.value;
  report.begin(timeoutsPerTurn * settings.timeout.value + lockTimeout);
  return async (signal) => {
    const activated = await activateMachine(target, {input, client, baseUrl, signal, io});
    if (activated.isNew) {
      const {connector_id: id, name} = activated.credentials;
      io.note(`Activated ${escapeControl(id ?? name)}.`);
      io.note(saved(activated, path).notices[0] ?? '');
    }
  };
}

function noToken(path: string): AppError {
  const message = `${path} does not exist, and there is no activation token for a first start.`;
  return new AppError('usage', message, {
    hint: 'Check the path, or pass a token with --token-file PATH or CONNECTORCTL_ACTIVATION_TOKEN.',
  });
}
