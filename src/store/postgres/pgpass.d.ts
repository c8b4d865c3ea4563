declare module 'pgpass' {
  /** Calls `found` with the password of a connection, or with undefined if the file has none. */
  export default function readPasswordFile(
    connection: object,
    found: (password: string) => void,
  ): void;
}
