/** What the name of a field that holds a secret ends in, once it has no case and no punctuation. */
const secretEndings =
  /(?:token|secret|key|password|passwd|passphrase|credentials?|authorization|cookie|jwt|signature|sig)$/;

/** Names that end so and hold no secret: places in a list, and a number drawn for one request. */
const publicNames = new Set([
  'pagetoken',
  'nextpagetoken',
  'nexttoken',
  'continuationtoken',
  'idempotencykey',
  'publickey',
]);

/** Whether a field of this name, `api_key` as well as `apiKey`, is taken to hold a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return secretEndings.test(plain) && !publicNames.has(plain);
}
