type Close = () => Promise<unknown>;

let isInTest = false;
const closers: Close[] = [];

/**
 * Closes what the running test, or a hook before it, has opened, once its own hooks are done: the last one first. What
 * a suite opens in `before` is its own to close.
 *
 * @returns closes it earlier
 */
export function atEndOfTest<Result>(close: () => Promise<Result>): () => Promise<Result> {
  let closing: Promise<Result> | undefined;
  const once = () => {
    closing ??= close();
    return closing;
  };
  if (isInTest) closers.push(once);
  return once;
}

/** Around each test, outside the hooks of its suites. */
export const hooksOfEachTest = {
  beforeEach() {
    isInTest = true;
  },
  async afterEach() {
    isInTest = false;
    for (const close of closers.splice(0).reverse()) await close();
  },
};
