import {Args, type Command, Flags, type Interfaces} from '@oclif/core';
import {ServiceCommand} from '../cli/command/service-command.js';
import {readBaseUrl} from '../client/settings.js';
import {
  type SandboxFault,
  type SandboxFleet,
  type SandboxRoute,
  type SandboxStatus,
  sandboxRoutes,
} from '../contract/sandbox.js';
import {figure} from '../domain/words.js';
import {globalFlags, integerFlag, namesFlag, parseDuration} from '../flags.js';
import {serviceFlags} from '../service/settings.js';
import {renderFields} from '../terminal/fields.js';
import {exactTime} from '../terminal/time.js';
import {callSandbox, controlTokenFlags, readControlToken} from './client.js';

/** The arguments and own flags of a command line, by name. */
type Input = Readonly<Record<string, unknown>>;

/** A command that sends one request to a control route of a sandbox. */
interface Row<Result> {
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly string[];
  readonly args?: Interfaces.ArgInput;
  readonly flags?: Interfaces.FlagInput;
  readonly route: SandboxRoute;
  readonly body?: (input: Input) => object;
  readonly text: (result: Result) => string;
}

const howMany = (status: string) =>
  integerFlag({default: 0, description: `connectors with the status ${status}`, min: 0});

const status: Row<SandboxStatus> = {
  summary: "Show a sandbox's clock, connectors and faults",
  examples: [''],
  route: sandboxRoutes.status,
  text: renderSandboxStatus,
};

const advance: Row<SandboxStatus> = {
  summary: "Advance a sandbox's virtual clock",
  description:
    'Tokens expire and connectors become stale as if the time had passed. The command returns once all of that is visible; time never goes back.',
  examples: ['10m'],
  args: {duration: Args.string({description: 'how far, such as 90s, 10m or 1d', required: true})},
  route: sandboxRoutes.advance,
  body: ({duration}) => ({seconds: parseDuration(String(duration), 'The argument') / 1000}),
  text: renderSandboxStatus,
};

const fleet: Row<SandboxFleet> = {
  summary: 'Create connectors in a sandbox, in any mix of states',
  description:
    'Connectors without another state are online; none of them sends heartbeats, so they become stale and offline as the clock advances. The connectors of --name come first, and get the states in the order never, online, stale, offline, revoked.',
  examples: ['500 --offline 3 --never 2', '--name web-1 --name db-1 --offline 1'],
  args: {
    count: Args.string({description: 'number of connectors to create, unless --name gives names'}),
  },
  flags: {
    name: {
      ...namesFlag(),
      description: 'name of a connector to create; may be repeated',
      helpValue: 'NAME',
    },
    never: howMany('never'),
    offline: howMany('offline'),
    organization: Flags.string({
      description: 'organization of the connectors (default: default)',
      helpValue: 'NAME',
    }),
    revoked: howMany('revoked'),
    stale: howMany('stale'),
  },
  route: sandboxRoutes.createFleet,
  // Text that is not a number is sent unchanged: the sandbox refuses it.
  body: ({count, name: names, ...others}) => ({
    ...others,
    names,
    count: count && (Number(count) || count),
  }),
  text: ({connectors}) => `Created ${renderCounts(connectors)}\n`,
};

const faultAdd: Row<SandboxFault> = {
  summary: 'Add a fault to a sandbox',
  description:
    'OPERATION is create-token, activate, list, get, heartbeat or * for all; EFFECT is a status such as 503, or latency=2s, reset, drop-response, truncate or garbage. WHEN is 10% of the requests, #3 for only the third, 3x for the next three, or 5m of the virtual clock; default: all requests.',
  examples: ['heartbeat:503,retry-after=30s@3x', 'activate:drop-response@#1', "'*:latency=2s@10%'"],
  args: {spec: Args.string({description: 'OPERATION:EFFECT[@WHEN]', required: true})},
  route: sandboxRoutes.addFault,
  body: ({spec}) => ({spec}),
  text: ({id, spec}) => `Added fault ${id}: ${spec}\n`,
};

const faultClear: Row<{readonly faults: readonly SandboxFault[]}> = {
  summary: 'Remove all faults of a sandbox',
  examples: [''],
  route: sandboxRoutes.clearFaults,
  text: () => 'Removed all faults.\n',
};

/** The commands of a sandbox. Its other functions have control routes only. */
export const rows = {status, advance, fleet, faultAdd, faultClear};

const {'base-url': baseUrl, profile, timeout} = serviceFlags;

/** Creates the command of a row. It sends one request without an API key, so it has only a few service flags. */
export function sandboxCommand<Result>(row: Row<Result>): Command.Class {
  return class SandboxCommand extends ServiceCommand<Result> {
    static override args = row.args ?? {};
    static override baseFlags = {
      ...({
        ...globalFlags,
        'base-url': baseUrl,
        profile,
        timeout,
      } as typeof ServiceCommand.baseFlags),
      ...controlTokenFlags,
    };
    static override description = row.description;
    static override examples = row.examples.map((words) =>
      `<%= config.bin %> <%= command.id %> ${words}`.trimEnd(),
    );
    static override flags = row.flags ?? {};
    static override summary = row.summary;

    async run(): Promise<Result> {
      const {args, flags} = await this.parse(SandboxCommand);
      const {baseUrl, timeout} = await this.settings();
      const own = Object.keys(row.flags ?? {}).map((name) => [name, (flags as Input)[name]]);
      const result = await callSandbox<Result>(readBaseUrl(baseUrl.value), {
        route: row.route,
        body: row.body?.({...args, ...Object.fromEntries(own)}),
        token: await readControlToken(flags, this.io),
        timeout: timeout.value,
      });
      await this.print(row.text(result));
      return result;
    }
  };
}

/** `online 494, offline 3`: the number of connectors with each status that occurs. */
function renderCounts(counts: Readonly<Record<string, number>>): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return present.map(([status, count]) => `${status} ${figure(count)}`).join(', ') || 'none';
}

/** The state of a sandbox, one line for each field. */
function renderSandboxStatus(status: SandboxStatus): string {
  const {clock, rate, now, seed, connectors, faults} = status;
  const passing = clock === 'running' && rate !== 1 ? `${clock}, ${rate} s per second` : clock;
  const rows = [
    ['time', `${exactTime(new Date(now))} (${passing})`],
    ['connectors', renderCounts(connectors)],
    ['faults', String(faults)],
    ['seed', String(seed)],
  ] as const;
  return renderFields(rows, 10);
}
