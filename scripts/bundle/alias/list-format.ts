// For `Intl.ListFormat`, of which @sindresorhus/is makes two when it is loaded, for the words of errors
// that never come: that loads ICU's data, 12 ms.
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
