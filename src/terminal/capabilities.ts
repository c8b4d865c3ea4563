/** Whether this runs in continuous integration. */
export function isInCi(): boolean {
  const {CI} = process.env;
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}

/** Whether a variable is true, by the words that the framework accepts for a flag's variable. */
export function isTrue(value: string | undefined): boolean {
  return /^(1|true|y|yes)$/i.test(value ?? '');
}
