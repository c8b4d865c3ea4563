import type {Finding} from '../../domain/fleet/findings.js';
import {escapeControl} from '../escape.js';
import type {Palette} from '../palette.js';
import {statusLabels} from './text.js';

/** The steps of `doctor` by the id of their findings, each with its name for people. */
const steps = {
  token: 'token',
  'sent-to': 'sent to',
  'base-url': 'base URL',
  proxy: 'proxy',
  dns: 'DNS',
  tcp: 'TCP',
  tls: 'TLS',
  http: 'HTTP',
  clock: 'clock',
  sandbox: 'sandbox',
  key: 'key',
} as const;

/** A step on the way to the service. */
export type Step = keyof typeof steps;

/** The result of a step; `details.hint` says how to fix a problem. */
export interface StepFinding extends Finding {
  readonly id: Step;
}

const nameWidth = Math.max(...Object.values(steps).map(({length}) => length));

/** `ok    TCP       127.0.0.1, port 4480 accepts connections`, and the hint, if any, on the next line. */
export function renderStep({id, status, message, details}: StepFinding, palette: Palette): string {
  const {text, color} = statusLabels[status];
  const indent = ' '.repeat(text.length + 2 + nameWidth + 2);
  const line = `${palette[color](text)}  ${steps[id].padEnd(nameWidth)}  ${escapeControl(message)}\n`;
  const hint = details?.['hint'];
  return hint === undefined ? line : `${line}${indent}${escapeControl(String(hint))}\n`;
}
