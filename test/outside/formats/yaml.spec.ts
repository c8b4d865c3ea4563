import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith, npmPackage} from '../installed.js';
import type {ProgramName} from '../programs.js';
import {run} from '../run.js';
import {listed} from './listed.js';

/** Texts that at least one reader takes for another type, or refuses, where they stand without quotes. */
const texts = [
  ...['1,2', '1,000', '1,2.5', '1_000', '1__2', '1_', '0_7', '+1', '-0', '+.5', '-.5', '.5', '5.'],
  ...['007', '08', '0o7', '0x1F', '0X1F', '0b11', '1e3', '1E5', '1.e5', '12e03', '1e400', '.1e5'],
  ...['99999999999999999999', '12:30', '12:30:45', '190:20:30', '0:00', '00:11:22'],
  ...['2024-01-02', '2024-1-2', '2024-01-02T03:04:05Z', '2001-12-14 21:59:43'],
  ...['~', 'null', 'Null', 'NULL', 'y', 'N', 'on', 'No', 'OFF', 'yes', 'TRUE', '.inf', '-.INF'],
  ...['.NaN', '=', '<<', ':web', '!x', '&a', '*a', '|', '>', '%a', '@x', '`x', '- a', 'a: b', 'x:'],
  ...['a #b', '---', '...', "'x'", '"x"', '{x', '[x', ' x', 'x ', '? x', '', 'é', '\u2028'],
];

const fleet = texts.map((name, at) => ({
  id: `c-${at}`,
  name,
  status: 'online',
  last_heartbeat_at: '2026-11-28T10:00:00.000Z',
  load: [0.5, 1e21, 1e-7, -3, 2 ** 53][at % 5],
  note: null,
  isUp: at % 2 === 0,
}));

/** How a program turns YAML into JSON: its command line, of the path of the file. */
type Reader = (file: string) => readonly [program: string, ...argv: string[]];

// Each reads with its defaults; Psych also allows what it would refuse to make of an unquoted text.
const readers = {
  pyyaml: (file) => [
    '/usr/bin/python3',
    '-c',
    'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1])), default=repr))',
    file,
  ],
  psych: (file) => [
    '/usr/bin/ruby',
    ...['-ryaml', '-rjson', '-rdate', '-e'],
    'puts JSON.generate(YAML.safe_load(File.read(ARGV[0]), permitted_classes: [Date, Time, Symbol]))',
    file,
  ],
  gojq: (file) => ['gojq', '--yaml-input', '.', file],
  jsYaml: (file) => [
    process.execPath,
    '--input-type=module',
    '-e',
    `import {load} from ${JSON.stringify(`${npmPackage('js-yaml')}/dist/js-yaml.mjs`)};
     import {readFileSync} from 'node:fs';
     console.log(JSON.stringify(load(readFileSync(process.argv[1], 'utf8'))));`,
    file,
  ],
  phpYaml: (file) => [
    'php',
    '-r',
    'echo json_encode(yaml_parse_file($argv[1]), JSON_THROW_ON_ERROR);',
    file,
  ],
} as const satisfies Partial<Record<ProgramName, Reader>>;

for (const [name, command] of Object.entries(readers)) {
  describeWith([name as keyof typeof readers], `connector list -o yaml read by ${name}`, () => {
    const at = temporaryDirectory();

    it('has the texts, numbers and nulls of -o json, also where a text looks like something else', async () => {
      writeFileSync(at('list.yaml'), await listed('yaml', fleet));
      const [program, ...argv] = command(at('list.yaml'));
      const read = JSON.parse(await run(program, ...argv));
      const sent = JSON.parse(await listed('json', fleet));
      expect(sent).to.have.length(texts.length);
      expect(read).to.deep.equal(sent);
    });
  });
}
