/** A platform with an executable, and what its packagers call its processor. */
export interface Platform {
  /** As Node.js names it. */
  readonly name: string;
  /** Of the deb and the rpm; undefined where there are none. */
  readonly linux?: {readonly deb: string; readonly rpm: string};
}

/** Also the runners of `.github/workflows/release.yml`. */
export const platforms: readonly Platform[] = [
  {name: 'linux-x64', linux: {deb: 'amd64', rpm: 'x86_64'}},
  {name: 'linux-arm64', linux: {deb: 'arm64', rpm: 'aarch64'}},
  {name: 'darwin-x64'},
  {name: 'darwin-arm64'},
];

/** The name of an archive, which install.sh expects, and of the directory in it. */
export const archiveOf = (version: string, {name}: Platform) => `connectorctl-${version}-${name}`;
