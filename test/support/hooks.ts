/** Every test starts from a clean slate: no setting of the developer's own shell may reach it. */
for (const name of Object.keys(process.env)) {
  if (/^CONNECTORCTL_|_proxy$/i.test(name)) delete process.env[name];
}
delete process.env['NODE_EXTRA_CA_CERTS'];
