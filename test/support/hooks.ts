/** Removes settings of the developer's shell, so that they cannot affect a test. */
for (const name of Object.keys(process.env)) {
  if (/^CONNECTORCTL_|_proxy$/i.test(name)) delete process.env[name];
}
delete process.env['NODE_EXTRA_CA_CERTS'];
