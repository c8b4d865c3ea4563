/**
 * One link of a `Link` header (RFC 8288 §3): `<target>; name=value; name="quoted value"`, with
 * white space around the separators, and a comma or the end after it.
 */
const link =
  /[\s,]*<([^>]*)>((?:\s*;\s*[^\s=;,"]*(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)\s*(?=,|$)/y;

const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/**
 * The target of the link with the relation `next`; undefined without one.
 *
 * Not `http-link-header`, which loses the second of two links with a space before the comma.
 */
export function nextLink(header: string | undefined): string | undefined {
  link.lastIndex = 0;
  for (let match = link.exec(header ?? ''); match; match = link.exec(header ?? '')) {
    const [, target, parameters = ''] = match;
    const [, quoted, bare = ''] = relation.exec(parameters) ?? [];
    const relations = (quoted ?? bare).toLowerCase().split(/\s+/);
    if (relations.includes('next')) return target;
  }
  return undefined;
}
