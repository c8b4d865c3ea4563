import type pg from 'pg';

/**
 * A statement that each connection prepares once, or each time if it has no name. It must be repeatable: when
 * the connection is lost, it is unknown whether the statement took effect, and it is run again.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** Runs a statement and returns its rows; columns are named like the fields of the domain. */
export type Run = <Row extends pg.QueryResultRow>(
  statement: Statement | string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** Runs statements on one connection. @param timeout milliseconds for each response */
export function runOn(client: pg.ClientBase, timeout: number): Run {
  return async <Row extends pg.QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ) => {
    const query = typeof statement === 'string' ? {text: statement} : statement;
    const more = {values: [...values], query_timeout: timeout};
    const {rows} = await client.query<Row>({...query, ...more});
    return rows;
  };
}
