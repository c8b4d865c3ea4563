import {archiveOf, platforms} from './platforms.js';
import type {Release} from './tools.js';

/** The SHA-256 of an archive by the name of its platform. */
export type Digests = Readonly<Record<string, string>>;

function addressOf({url, version}: Release, name: string): string {
  const platform = platforms.find((each) => each.name === name);
  if (platform === undefined) throw new Error(`${name} is no platform`);
  return `${url}/releases/download/v${version}/${archiveOf(version, platform)}.tar.xz`;
}

/** A formula for a tap of Homebrew. */
export function formula(release: Release, digests: Digests): string {
  const systems = {macos: 'darwin', linux: 'linux'};
  const processors = {arm: 'arm64', intel: 'x64'};
  const blocks = Object.entries(systems).map(([system, os]) => {
    const inside = Object.entries(processors).map(([processor, cpu]) => {
      const name = `${os}-${cpu}`;
      return `    on_${processor} do
      url "${addressOf(release, name)}"
      sha256 "${digests[name]}"
    end
`;
    });
    return `  on_${system} do\n${inside.join('')}  end\n`;
  });
  return `class Connectorctl < Formula
  desc "${release.description}"
  homepage "${release.homepage}"
  version "${release.version}"
  license "${release.license}"

${blocks.join('\n')}
  def install
    bin.install "connectorctl"
    man1.install "connectorctl.1"
    generate_completions_from_executable(bin/"connectorctl", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/connectorctl --version")
  end
end
`;
}
