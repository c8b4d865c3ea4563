/** One element of a pattern: any run of characters, any character, or a literal character. */
type Element = 'run' | 'any' | {readonly character: string};

const elementPattern = /\\(.)|(\*+)|./gsu;

/**
 * Compiles a glob into a test of whole texts. `*` matches any run of characters, `?` any character, and
 * `\` quotes the next character. Case matters. Paths have no meaning: `*` matches `/` and a leading dot too.
 *
 * A match costs at most pattern length times text length. As a regular expression, which is what glob
 * libraries compile to, `*a*a*a*a*a*b` takes many seconds for a name of 160 letters, and names come from
 * the service.
 *
 * Characters are Unicode code points after NFC normalization, so that an accent typed as one character
 * matches the same accent stored as two.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const elements = [...pattern.normalize('NFC').matchAll(elementPattern)].map(
    ([all, quoted, run]): Element => {
      if (run !== undefined) return 'run';
      return all === '?' ? 'any' : {character: quoted ?? all};
    },
  );
  return (text) => matches(elements, [...text.normalize('NFC')]);
}

/** Creates a test whether a name matches one of the globs. Without globs, every name matches, and a missing name too. */
export function nameMatcher(
  globs: readonly string[] | undefined,
): (name: string | undefined) => boolean {
  if (globs === undefined) return () => true;
  const tests = globs.map(compileGlob);
  return (name) => name !== undefined && tests.some((test) => test(name));
}

/** Matches greedily. After a mismatch, it is enough to extend the last run by one character. */
function matches(elements: readonly Element[], text: readonly string[]): boolean {
  let element = 0;
  let at = 0;
  let lastRun = -1;
  let runEnd = 0;
  while (at < text.length) {
    const current = elements[element];
    if (current === 'run') {
      lastRun = element;
      runEnd = at;
      element++;
    } else if (current === 'any' || current?.character === text[at]) {
      element++;
      at++;
    } else if (lastRun !== -1) {
      element = lastRun + 1;
      runEnd++;
      at = runEnd;
    } else {
      return false;
    }
  }
  return elements.slice(element).every((rest) => rest === 'run');
}
