/** The ends of names of fields that hold secrets, in lower case without punctuation. */
const secretEndings =
  /(?:token|secret|key|password|passwd|passphrase|credentials?|authorization|cookie|jwt|signature|sig)$/;

/** Names with such an ending that hold no secret. */
const publicNames = new Set([
  'pagetoken',
  'nextpagetoken',
  'nexttoken',
  'continuationtoken',
  'idempotencykey',
  'publickey',
]);

/** Whether a field of this name, such as `api_key` or `apiKey`, is treated as a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return secretEndings.test(plain) && !publicNames.has(plain);
}
