// At start oclif would read one optional file, a theme in the user's configuration: this program has none.
export * from '@oclif/core/lib/util/fs.js';

export async function safeReadJson(): Promise<undefined> {
  return undefined;
}
