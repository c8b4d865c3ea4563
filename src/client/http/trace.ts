import type {Request} from 'got';
import {isSecretName} from '../../domain/secret-names.js';
import {isPublicName} from '../read/responses.js';
import {isProse, mask, type Redact, redactJson} from '../redact.js';

/** Maximum length of a body in the trace, in UTF-16 code units, after masking. */
const longestBody = 4096;

/** Longest body that is parsed for the trace, in bytes. */
const longestParsed = 1024 * 1024;

type HeaderValues = Readonly<Record<string, number | string | readonly string[] | undefined>>;

/** The wire trace of one call, with secrets replaced in every line. */
export class Trace {
  readonly #write: (line: string) => void;
  readonly #redact: Redact;
  #startedAt = performance.now();

  constructor(write: (line: string) => void, redact: Redact) {
    this.#write = write;
    this.#redact = redact;
  }

  /** Traces each request and response of an attempt, including those of redirects. */
  follow(stream: Request, body?: string): void {
    stream.on('request', (sent) =>
      this.request(sent.method, String(stream.options.url), sent.getHeaders(), body),
    );
    stream.on('redirect', (_, {statusCode, headers}) => this.response(statusCode, headers));
    stream.on('response', ({statusCode, headers}) => this.response(statusCode, headers));
  }

  request(method: string, url: string, headers: HeaderValues, body?: string): void {
    this.#startedAt = performance.now();
    this.#line('>', `${method} ${url}`);
    this.#headers('>', headers);
    if (body !== undefined) this.#body('>', body);
  }

  response(status: number, headers: HeaderValues): void {
    this.#line('<', `${status} after ${this.#elapsed()}`);
    this.#headers('<', headers);
  }

  /** @param isCredential whether the body may hold a credential under any name */
  responseBody(body: Buffer, isCredential = false): void {
    if (body.length === 0) return;
    if (body.length > longestParsed) this.#line('<', '(a long body, not shown)');
    else this.#body('<', body.toString(), isCredential);
  }

  failure(reason: string): void {
    this.#line('!', `failed after ${this.#elapsed()}: ${reason}`);
  }

  /** An event other than a message on the wire. */
  note(text: string): void {
    this.#line('*', text);
  }

  #elapsed(): string {
    return `${Math.round(performance.now() - this.#startedAt)} ms`;
  }

  #headers(mark: string, headers: HeaderValues): void {
    for (const [name, value] of Object.entries(headers)) {
      for (const one of [value].flat()) {
        if (one !== undefined) this.#line(mark, `${name}: ${isSecretName(name) ? mask : one}`);
      }
    }
  }

  #body(mark: string, text: string, isCredential = false): void {
    const safe = traceBody(text, isCredential);
    const cut = safe.length > longestBody;
    this.#line(mark, cut ? `${safe.slice(0, longestBody)}… (${text.length} characters)` : safe);
  }

  #line(mark: string, text: string): void {
    for (const line of this.#redact(text).split('\n')) this.#write(`${mark} ${line}`);
  }
}

/** A JSON body with its secret fields masked, prose that cannot be a credential, or only the length of another body. */
function traceBody(text: string, isCredential: boolean): string {
  try {
    return redactJson(text, isCredential ? isPublicName : undefined);
  } catch {
    return isProse(text) && !isCredential
      ? text.trimEnd()
      : `(${text.length} characters that are not JSON)`;
  }
}
