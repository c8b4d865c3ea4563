import {release} from 'node:os';
import type {Finding} from '../../domain/fleet/findings.js';
import {redactSecrets} from '../../domain/secret.js';
import {exitCodes} from '../../errors.js';
import type {SettingView} from '../../render/fields.js';
import type {Report} from '../../render/report/report.js';
import type {StepFinding} from '../../render/report/steps.js';
import {homeDirectory} from '../../system/user-directories.js';
import {createReport} from '../report/create.js';
import {clientOptions, isFromStdin, type ServiceSettings} from '../service/settings.js';
import {versionInfo} from '../version.js';

/** When the steps were taken, and the settings. */
interface Circumstances {
  readonly startedAt: Date;
  readonly settings: ServiceSettings;
  readonly shown: readonly SettingView[];
}

/** Variables whose names help to understand a failure. The report does not contain their values. */
const reportedVariables = /^(?:CONNECTORCTL_|NODE_|XDG_|SSL_CERT_)|^(?:HTTPS?|ALL|NO)_PROXY$/i;

/**
 * The report of `doctor`, for a bug report: the program, the settings and the steps, without secrets. It has
 * only the names of environment variables, URLs without user name, password and query, and `~` in place of the
 * home directory.
 */
export async function doctorReport(
  steps: readonly StepFinding[],
  {version}: {readonly version: string},
  {startedAt, settings, shown}: Circumstances,
): Promise<Report> {
  const clean = cleaner(await keyAgain(settings));
  const findings = [programFinding(version), variablesFinding(), ...shown.map(settingFinding)];
  const about = {command: 'doctor', service: clean(settings.baseUrl.value), startedAt};
  const bad = steps.find(isFailure) ?? steps.find(({status}) => status === 'warn');
  return createReport(
    about,
    [...findings, ...steps].map((finding) => cleaned(finding, clean)),
    clean(bad?.message ?? 'Every step succeeds'),
  );
}

/** The exit code of the first step that failed. */
export function exitCodeOfSteps({findings}: Pick<Report, 'findings'>): number {
  const kind = findings.find(isFailure)?.details?.['error'];
  return exitCodes[(kind ?? 'ok') as keyof typeof exitCodes].code;
}

const isFailure = ({status}: Finding) => status === 'fail';

function programFinding(version: string): Finding {
  const {code_cache: cache, ...info} = versionInfo(version);
  const details = {...info, system: release(), code_cache: cache?.state ?? null};
  const {node, platform, system} = details;
  const message = `connectorctl ${version} on Node.js ${node}, ${platform} ${system}`;
  return {id: 'program', subject: 'connectorctl', status: 'info', message, details};
}

function variablesFinding(): Finding {
  const names = Object.keys(process.env).filter((name) => reportedVariables.test(name));
  const message = names.length === 0 ? 'none' : names.sort().join(', ');
  return {id: 'variables', subject: 'environment', status: 'info', message};
}

function settingFinding({name, value, from}: SettingView): Finding {
  return {id: 'setting', subject: name, status: 'info', message: `${value} (${from})`};
}

/** The API key, read once more to keep it out of the report; undefined where that is not possible. */
async function keyAgain(settings: ServiceSettings): Promise<string | undefined> {
  if (isFromStdin(settings.apiKey.value)) return undefined;
  return clientOptions(settings).then(
    ({apiKey}) => apiKey,
    () => undefined,
  );
}

function cleaned(finding: Finding, clean: (text: string) => string): Finding {
  const {subject, message, details = {}} = finding;
  const values = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string' ? clean(value) : value,
  ]);
  return {
    ...finding,
    subject: clean(subject),
    message: clean(message),
    details: Object.fromEntries(values),
  };
}

function cleaner(secret: string | undefined): (text: string) => string {
  const home = homeDirectory(process.env);
  return (text) =>
    redactSecrets(secret ? text.replaceAll(secret, '…') : text)
      .replace(/\/\/[^/\s"]*@/g, '//…@')
      .replace(/(\/\/[^\s"?#]*)[?#][^\s"),]*/g, '$1?…')
      .replaceAll(home.length > 1 ? home : '\0', '~');
}
