declare module 'pgpass' {
  /** Calls back with the password of a connection, or without one. */
  export default function readPasswordFile(
    connection: object,
    found: (password: string) => void,
  ): void;
}
