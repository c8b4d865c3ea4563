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
