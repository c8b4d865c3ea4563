import {Flags, type Interfaces} from '@oclif/core';
import {letters, listFlag} from '../flags.js';
import {terminalWidth} from '../terminal/capabilities.js';
import {outputFormats, type Renderer, rendererFor} from '../terminal/formats/renderer.js';
import {type ColorLevel, paletteFor} from '../terminal/palette.js';

/** The format of connectors on stdout. */
export const outputFlags = {
  columns: listFlag({
    char: letters.columns,
    description: 'fields to show, such as id,name or labels.rack: any that the service sends',
    helpValue: 'FIELD',
  }),
  'no-headers': Flags.boolean({description: 'leave out the header of a table or CSV'}),
  output: Flags.option({
    char: letters.output,
    description: `format: ${outputFormats.slice(0, -1).join(', ')} or ${outputFormats.at(-1)}; --json overrides it`,
    env: 'CONNECTORCTL_OUTPUT',
    helpValue: 'FORMAT',
    options: outputFormats,
  })(),
};

type OutputFlagValues = Partial<Interfaces.InferredFlags<typeof outputFlags>>;

/** The output of a command: whether it is JSON, the color level of stdout, and the time that ages count from. */
export interface OutputMode {
  readonly json: boolean;
  readonly colors: ColorLevel;
  readonly now: () => number;
}

/** Renders connectors for this terminal; `--json` overrides the format. @throws AppError as `rendererFor` */
export async function rendererOf(
  {output = 'table', columns: fields, 'no-headers': hidesHeader}: OutputFlagValues,
  {json, colors, now}: OutputMode,
): Promise<Renderer> {
  const palette = await paletteFor(colors);
  const options = {fields, hidesHeader, width: terminalWidth(), palette, now};
  return rendererFor(json ? 'json' : output, options);
}
