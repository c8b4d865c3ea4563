import type {Exchange} from './exchange.js';
import type {Secrets} from './secrets.js';

/** The request of an exchange as a line for a shell, with the secrets as variables. */
export function curlCommand({call}: Exchange, secrets: Secrets): string {
  const {method, url, headers, body} = call;
  const shown = Object.entries(headers).filter(
    ([name]) => !['accept', 'accept-encoding', 'user-agent'].includes(name),
  );
  const word = (text: string) => secrets.shellWord(text);
  // A body that is too long to paste ends with one letter, many times.
  const long = /^(.*?)(\w)(\2{1000,})$/s.exec(body ?? '');
  const parts = [
    `curl -i${method === 'HEAD' ? 'I' : ''}`,
    ...(method === 'GET' || method === 'HEAD' ? [] : [`-X ${method}`]),
    ...shown.map(([name, value]) => `-H ${word(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [long === null ? `-d ${word(body)}` : '--data-binary @-']),
    word(url.href),
  ];
  const [, start = '', letter, rest = ''] = long ?? [];
  const made = `{ printf %s ${word(start)}; head -c ${rest.length + 1} /dev/zero | tr '\\0' ${letter}; } | `;
  return secrets.redact((long === null ? '' : made) + parts.join(' '));
}
