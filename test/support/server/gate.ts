/** Makes calls wait until it is released, and reports the first one. */
export interface Gate {
  /** Resolves at the first call of `wait`. */
  readonly arrived: Promise<void>;
  /** Resolves once released. */
  wait(): Promise<void>;
  release(): void;
}

export function createGate(): Gate {
  let arrive: () => void = () => undefined;
  let release: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    arrived,
    wait() {
      arrive();
      return released;
    },
    release: () => release(),
  };
}
