/**
 * The notes of a version: its section of the changelog, without the heading.
 *
 * @throws if there is none, or if it has no date: then the version is not meant to be released
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/ \(\d{4}-\d\d-\d\d\)$/.test(heading))
    throw new Error(
      `CHANGELOG.md has no date: write "## ${version} (YYYY-MM-DD)", not "## ${heading}"`,
    );
  return `${lines.join('\n').trim()}\n`;
}
