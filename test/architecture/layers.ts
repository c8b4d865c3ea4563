// Who may import whom in `src`. `commands` may import all of these areas, and none of them imports it.

/** The layers, and what each may import. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  contract: [],
  system: [],
  domain: ['contract', 'errors.ts'],
  client: ['contract', 'domain', 'errors.ts', 'system'],
  terminal: ['client', 'contract', 'domain', 'errors.ts', 'system'],
  conformance: ['client', 'contract', 'domain', 'errors.ts'],
  store: ['contract', 'domain', 'system'],
  server: ['contract', 'domain', 'errors.ts', 'store', 'system', 'terminal'],
};

/** The parts that features share. Each may import any layer and the parts before it. */
export const shared = [
  'flags.ts',
  'report',
  'service',
  'cli',
  'connector/fields',
  'connector',
  'connector/credentials',
];

/** The features and the library. Each may import any layer and shared part, and of the features only those named here. */
export const features: Readonly<Record<string, readonly string[]>> = {
  'connector/activate': [],
  'connector/enroll': ['connector/activate'],
  'connector/list': [],
  'connector/run': ['connector/activate'],
  'connector/check': [],
  'connector/monitor': ['connector/check'],
  'conformance/command': [],
  admin: [],
  sandbox: [],
  serve: [],
  'index.ts': [],
  'sandbox.ts': [],
};

/** The layers that no other area loads at start: their types are imported, their values by `import()`. */
export const lazyLayers = ['conformance', 'server', 'store'];
