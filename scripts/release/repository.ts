import {readJson} from '../build/root.js';

/** The addresses of the project. */
export interface Repository {
  /** Of the repository, without a slash at the end. */
  readonly url: string;
  readonly homepage: string;
  readonly bugs: string;
}

/** The fields of package.json that name the repository. */
export interface Addresses {
  readonly repository?: {readonly type: string; readonly url: string};
  readonly homepage?: string;
  readonly bugs?: {readonly url: string};
}

const howTo =
  'The owner of the repository sets it once: npm run release:repository -- https://github.com/OWNER/NAME';

/** Stands for the repository in the documents until it has an address. */
const placeholder = 'https://github.com/OWNER/NAME';

/** What else names the repository: what people copy. */
export const documents = [
  'README.md',
  'contrib/check/github-actions.yml',
  'contrib/conformance/github-actions.yml',
  'contrib/monitor/github-actions.yml',
  'docs/guides/ci.md',
] as const;

/** The owner and the name in an address. */
const slugOf = (url: string) => url.split('/').slice(-2).join('/');

export const namesNoRepository = (text: string) => text.includes(slugOf(placeholder));

/** A document with the address of the repository. @param before of which it has the address now, if any */
export function withRepository(text: string, {url}: Repository, before = placeholder): string {
  return text.replaceAll(before, url).replaceAll(slugOf(before), slugOf(url));
}

/** The addresses that follow from the one of the repository. @throws if that is none of a GitHub repository */
export function repositoryAt(url: string): Repository {
  if (
    url === placeholder ||
    !/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(url) ||
    url.endsWith('.git')
  )
    throw new Error(`${url} is not the address of a repository such as ${placeholder}`);
  return {url, homepage: `${url}#readme`, bugs: `${url}/issues`};
}

/** What package.json says of a repository: the form that npm compares with the provenance. */
export function addressesOf({url, homepage, bugs}: Repository): Required<Addresses> {
  return {repository: {type: 'git', url: `git+${url}.git`}, homepage, bugs: {url: bugs}};
}

/**
 * The repository of package.json, from which everything else takes it.
 *
 * @throws if it has none, or addresses that do not belong together
 */
export function readRepository(
  {repository, homepage, bugs}: Addresses = readJson<Addresses>('package.json'),
): Repository {
  const url = /^git\+(https:.*)\.git$/.exec(repository?.url ?? '')?.[1];
  if (url === undefined) throw new Error(`package.json names no repository. ${howTo}`);
  const read = repositoryAt(url);
  if (homepage !== read.homepage || bugs?.url !== read.bugs)
    throw new Error(
      `package.json has a homepage or bugs of another repository than ${url}. ${howTo}`,
    );
  return read;
}
