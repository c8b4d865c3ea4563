/** Whether a URL leads to this machine: no proxy is on the way, and nobody listens to plain HTTP. */
export function isLoopback({hostname}: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
