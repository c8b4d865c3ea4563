// Replaces `Intl.ListFormat`: @sindresorhus/is creates two instances when it is loaded, for error messages
// that never occur. That loads ICU data, which takes 12 ms.
const Real = Intl['ListFormat'];

export class LazyListFormat {
  readonly #options: ConstructorParameters<typeof Real>;

  constructor(...options: ConstructorParameters<typeof Real>) {
    this.#options = options;
  }

  format(list: Iterable<string>): string {
    return new Real(...this.#options).format(list);
  }
}
