import type {Options, OptionsWithColumns} from 'csv-parse/sync';

/**
 * Parses CSV (RFC 4180) that the user gives. Empty lines are left out, and so are comments: lines that begin with #.
 * A first cell that begins with # needs quotes.
 *
 * @throws the error of the parser
 */
export async function parseUserCsv<Entry, Column>(
  text: string,
  options: Options<Entry, Column>,
): Promise<readonly Entry[]> {
  const {parse} = await import('csv-parse/sync');
  const all = {
    comment: '#',
    comment_no_infix: true,
    skip_empty_lines: true,
    trim: true,
    ...options,
  };
  return parse(text, all as OptionsWithColumns<Entry, Column>);
}
