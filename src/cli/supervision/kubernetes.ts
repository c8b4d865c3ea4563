import {writeMessage} from '../terminal/streams.js';

const variable = 'CONNECTORCTL_PORT';

/**
 * Removes the variable that Kubernetes sets in every pod when there is a Service named `connectorctl`
 * (`tcp://10.96.0.12:4480`): it is not the port to listen on.
 */
export function ignoreServiceLink(env: NodeJS.ProcessEnv): void {
  const value = env[variable];
  if (value === undefined || !/^(tcp|udp|sctp):\/\//i.test(value)) return;
  delete env[variable];
  writeMessage(
    `Warning: ignoring ${variable}=${value}, which Kubernetes sets for a Service named connectorctl. Set enableServiceLinks: false in the pod, or name the port with --port.`,
  );
}
