/** A door that keeps calls waiting: who comes first is told, and all go on once it is opened. */
export interface Hold {
  /** Resolves when the first call has come. */
  readonly arrived: Promise<void>;
  /** What a call waits for. */
  wait(): Promise<void>;
  release(): void;
}

export function hold(): Hold {
  let come: () => void = () => undefined;
  let release: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    come = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    arrived,
    wait() {
      come();
      return released;
    },
    release: () => release(),
  };
}
