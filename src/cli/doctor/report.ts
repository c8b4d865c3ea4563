import {homedir, release} from 'node:os';
import {redactSecrets} from '../../domain/secret.js';
import type {SettingView} from '../../render/doctor.js';
import {jsonText} from '../../render/formats/json.js';
import {writeReport} from '../report/files.js';
import type {CheckResult} from './examine.js';
import {versionInfo} from './running-build.js';

/** The settings and results in the report of `doctor`. */
interface Examination {
  readonly version: string;
  readonly settings: readonly SettingView[];
  readonly findings: readonly CheckResult[];
  /** The API key, which the report must not contain anywhere. */
  readonly secret: string | undefined;
}

/** Variables whose names help to understand a failure. The report does not contain their values. */
const reportedVariables = /^(?:CONNECTORCTL_|NODE_|XDG_|SSL_CERT_)|^(?:HTTPS?|ALL|NO)_PROXY$/i;

/**
 * Writes a file for a bug report: JSON without secrets, readable only by its owner. It has only the names of
 * environment variables, URLs without user name, password and query, and `~` in place of the home directory.
 *
 * @throws AppError `usage` when the file cannot be written; then nothing is left of it
 */
export function writeDoctorReport(
  path: string,
  {version, settings, findings, secret}: Examination,
): Promise<void> {
  const report = {
    schema: 1,
    created_at: new Date().toISOString(),
    ...versionInfo(version),
    system: release(),
    variables: Object.keys(process.env)
      .filter((name) => reportedVariables.test(name))
      .sort(),
    settings,
    findings,
  };
  return writeReport(path, `${withoutSecrets(jsonText(report), secret)}\n`, {mode: 0o600});
}

function withoutSecrets(text: string, secret: string | undefined): string {
  const hidden = secret ? text.replaceAll(JSON.stringify(secret).slice(1, -1), '…') : text;
  const home = JSON.stringify(homeDirectory()).slice(1, -1);
  return redactSecrets(hidden)
    .replace(/\/\/[^/\s"]*@/g, '//…@')
    .replace(/(\/\/[^\s"?#]*)[?#][^\s"),]*/g, '$1?…')
    .replaceAll(home.length > 1 ? home : '\0', '~');
}

/** Empty for a user id that the system does not know, without HOME. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
