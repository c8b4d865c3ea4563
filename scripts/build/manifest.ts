import {readJson} from './root.js';

/** A flag in `oclif.manifest.json`. */
export interface ManifestFlag {
  readonly name: string;
  readonly char?: string;
  readonly description?: string;
  readonly default?: string | number;
  readonly env?: string;
  readonly helpGroup?: string;
  readonly helpValue?: string;
  readonly options?: readonly string[];
  readonly type: 'boolean' | 'option';
}

/** A command in `oclif.manifest.json`. */
export interface ManifestCommand {
  readonly id: string;
  readonly summary?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly args: Readonly<
    Record<string, {readonly required?: boolean; readonly multiple?: boolean}>
  >;
  readonly flags: Readonly<Record<string, ManifestFlag>>;
  readonly examples?: readonly string[];
}

/** The arguments of a command as help shows them: `ID`, `[ID]`, or `ID...` for several. */
export function argumentWords({args}: ManifestCommand): readonly string[] {
  return Object.entries(args).map(([name, {required, multiple}]) => {
    const word = `${name.toUpperCase()}${multiple ? '...' : ''}`;
    return required ? word : `[${word}]`;
  });
}

/** A flag as help shows it: `-q, --quiet`, or `--limit N`. */
export function flagWords({char, name, type, options, helpValue}: ManifestFlag): string {
  const names = `${char === undefined ? '' : `-${char}, `}--${name}`;
  return type === 'boolean' ? names : `${names} ${options?.join('|') ?? helpValue ?? 'VALUE'}`;
}

/** The commands in the manifest. */
export function readCommands(): readonly ManifestCommand[] {
  const manifest = readJson<{commands: Record<string, ManifestCommand>}>('oclif.manifest.json');
  return Object.values(manifest.commands);
}

const isService = ({helpGroup}: ManifestFlag) => helpGroup === 'SERVICE';

/** The commands that help shows, with the flags of all, of those that call a service, and of each alone. */
export function describeCommands(all: readonly ManifestCommand[]) {
  const commands = all.filter(({hidden}) => !hidden);
  const flags = commands.flatMap((command) => Object.values(command.flags));
  const isGlobal = ({name}: ManifestFlag) => commands.every((command) => name in command.flags);
  const shared = (isShared: (flag: ManifestFlag) => boolean) => [
    ...new Map(flags.filter(isShared).map((flag) => [flag.name, flag])).values(),
  ];
  return {
    commands,
    globalFlags: shared(isGlobal),
    serviceFlags: shared(isService),
    callsService: ({flags: own}: ManifestCommand) => Object.values(own).some(isService),
    ownFlags: (command: ManifestCommand) =>
      Object.values(command.flags).filter((flag) => !isGlobal(flag) && !isService(flag)),
  };
}
