// For oclif's printing of errors, which loads its help and what makes stacks pretty: ours are printed
// by `cli/main.ts`.
export const Exit = {
  exit(code = 0): never {
    process.exit(code);
  },
};

export async function handle(error: Error): Promise<never> {
  throw error;
}
