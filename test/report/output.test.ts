import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {expect} from 'chai';
import * as z from 'zod/mini';
import {schemaFiles} from '../../scripts/reference-tables.js';
import {errorJson} from '../../src/cli/errors/view.js';
import {countFindings, findingStatuses, verdicts} from '../../src/domain/check/findings.js';
import {AppError, type ErrorKind, exitCodes} from '../../src/errors.js';
import {jsonReport} from '../../src/report/formats/json.js';
import {outputSchemas} from '../../src/report/output.js';
import {createReport} from '../../src/report/report.js';
import {runCli} from '../support/command/run-cli.js';
import {eachWithSandbox} from '../support/server/sandbox.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {inTurn, json, type Respond, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const ajv = addFormats.default(new Ajv2020({allowUnionTypes: true}));

/** The schemas as users have them, and without room for other fields: the output has to be described whole. */
const validators = Object.fromEntries(
  Object.entries(outputSchemas).map(([name, schema]) => {
    const file = readFileSync(join(root, 'docs', 'schemas', `${name}.schema.json`), 'utf8');
    return [name, [JSON.parse(file), z.toJSONSchema(schema)].map((one) => ajv.compile(one))];
  }),
);

function fits(name: keyof typeof outputSchemas, output: unknown): void {
  for (const validate of validators[name] as readonly ValidateFunction[]) {
    const errors = () => `${JSON.stringify(output)}\n${JSON.stringify(validate.errors)}`;
    expect(validate(output), errors()).to.equal(true);
  }
}

describe('the schemas of what commands print with --json', () => {
  const at = temporaryDirectory();
  const own = eachWithSandbox({seed: 1});

  for (const [what, words, file] of [
    ['report', ['connector', 'check']],
    ['report', ['connector', 'enroll', 'LIST', '--credentials-dir', 'DIRECTORY']],
    ['report', ['conformance', '--writes-to', '127.0.0.1', '--skip', '4.2/simultaneous-use']],
    ['doctor', ['doctor']],
    ['whoami', ['whoami']],
    ['error', ['connector', 'get', 'con_none']],
    [
      'monitor-events',
      ['connector', 'monitor', '--once', '--initial', '--state', 'STATE'],
      'events',
    ],
  ] as const) {
    it(`describe ${words[1] ?? words[0]} at the reference service: ${what}`, async () => {
      const {url, key} = own.sandbox;
      writeFileSync(at('list.csv'), 'name\nweb-1\n');
      const places = {LIST: at('list.csv'), DIRECTORY: at('out'), STATE: at('state')};
      const argv = words.map((word) => places[word as keyof typeof places] ?? word);
      const exec = file === undefined ? [] : ['--exec', `cat > ${at(file)}`];
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key};
      const {stdout} = await runCli([...argv, ...exec, '--json'], {home: at(), env});
      fits(what, JSON.parse(file === undefined ? stdout : readFileSync(at(file), 'utf8')));
    });
  }

  /** What a command prints at a service that gives these responses in turn. */
  async function outputOf(words: readonly string[], ...responses: readonly Respond[]) {
    const {url} = await thirdPartyService(inTurn(...responses));
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: organizationKey()};
    const run = await runCli([...words, '--json'], {home: at(), env});
    return {...run, json: JSON.parse(run.stdout)};
  }

  it('are the files in docs/schemas (npm run docs rewrites them)', () => {
    const directory = join(root, 'docs', 'schemas');
    const files = readdirSync(directory).map((name) => [
      `docs/schemas/${name}`,
      readFileSync(join(directory, name), 'utf8'),
    ]);
    expect(Object.fromEntries(files)).to.deep.equal(schemaFiles());
  });

  const connector = (name: string, status: string) => ({
    id: name,
    name,
    status,
    last_heartbeat_at: null,
  });
  for (const [verdict, response, ...flags] of [
    ['pass', json([connector('web-1', 'online')])],
    ['warn', json([connector('web-1', 'online'), connector('web-2', 'never')])],
    ['fail', json([connector('web-1', 'offline')]), '--max-age=5m'],
  ] as const) {
    it(`describe a connector check with the verdict ${verdict}`, async () => {
      const {json: report} = await outputOf(['connector', 'check', ...flags], response);
      expect(report).to.include({verdict});
      fits('report', report);
    });
  }

  it('describe the example of docs/check.md', () => {
    const page = readFileSync(join(root, 'docs', 'check.md'), 'utf8');
    const example = JSON.parse(/```json\n(.+?)```/s.exec(page)?.[1] ?? '');
    fits('report', example);
    expect(example.counts).to.deep.equal(countFindings(example.findings));
  });

  it('describe the error and the report of a check that cannot be carried out', async () => {
    const words = ['connector', 'check', '--report', `json=${at('report')}`];
    fits('error', (await outputOf(words, json({title: 'no'}, 403))).json);
    const report = JSON.parse(readFileSync(at('report'), 'utf8'));
    expect(report).to.include({verdict: 'error'});
    fits('report', report);
  });

  it('describe a report with nothing in it, and one with every status and measurement', () => {
    const about = {command: 'conformance', service: '', startedAt: new Date()};
    const full = findingStatuses.map((status) => ({
      ...{id: status, subject: 's', status, message: 'm', rule: 'r'},
      measurement: {value: 1, unit: '%', warning: {min: 1}, critical: {max: 2}} as const,
      details: {text: 'a', number: 1, flag: true, none: null},
    }));
    const reports = [[], full].map((findings) =>
      JSON.parse(jsonReport(createReport(about, findings, ''))),
    );
    for (const report of reports) fits('report', report);
    expect(reports.map(({verdict}) => verdict)).to.include('empty');
    expect(verdicts).to.have.length(5);
  });

  it('describe conformance, and enroll with a machine that is and one that is not activated', async () => {
    fits('report', (await outputOf(['conformance', '--only', '4.3'], json([]))).json);
    writeFileSync(at('list.csv'), 'name\nweb-1\nweb-2\n');
    const words = [
      'connector',
      'enroll',
      at('list.csv'),
      '--credentials-dir',
      at('out'),
      '--parallel',
      '1',
    ];
    const token = {token: 'a-token', expires_at: '2099-01-01T00:00:00Z'};
    const {json: report} = await outputOf(
      words,
      json([]),
      json(token, 201),
      json({id: 'c-1'}, 201),
      json({}, 403),
    );
    fits('report', report);
    expect(report.findings.map(({id}: {id: string}) => id)).to.include('activated');
  });

  it('describe doctor and whoami, with all facts and with none', async () => {
    const bare: Respond = (seen, response, index) => {
      response.sendDate = false;
      json([])(seen, response, index);
    };
    const facts = {
      'connectorctl-key-access': 'read',
      'connectorctl-key-expires': '2099-01-01T00:00:00Z',
    };
    for (const name of ['doctor', 'whoami'] as const) {
      for (const response of [bare, json([{id: '1', organization: 'acme'}], 200, facts)]) {
        const {code, json: output} = await outputOf([name], response);
        expect(code).to.equal(0);
        fits(name, output);
      }
    }
  });

  it('describe an error of every kind, with all its parts and with none', async () => {
    const all = {
      hint: 'h',
      reason: 'r',
      code: 'c',
      requestId: 'i',
      status: 503,
      retryAfter: 1500,
      outcomeUnknown: true,
    };
    for (const kind of Object.keys(exitCodes).filter((one): one is ErrorKind => one !== 'ok')) {
      for (const parts of [{}, all]) {
        const text = JSON.stringify(errorJson(new AppError(kind, 'm', parts)));
        fits('error', JSON.parse(text));
      }
    }
    fits('error', (await outputOf(['connector', 'list'], json({code: 'x'}, 401))).json);
  });
});
