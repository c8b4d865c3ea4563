import type {Json, JsonObject} from '../../domain/json.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import {parseJsonOrUndefined} from './json.js';
import {lettersOf, parameterOf, type Role, roleOf} from './paging-names.js';

/** A field or a header beside a list, with a role in its paging. */
export interface Sign {
  readonly field: string;
  readonly role: Role;
  readonly value: Json;
}

/** A number, and the query parameter that has it. */
interface Place {
  readonly field: string;
  readonly parameter: string;
  readonly value: number;
}

/** How deep objects beside a list may be nested. */
const deepest = 5;

/** Words of objects that describe the list or its paging, whatever else they hold. */
const listWords =
  /^(?:pag(?:e|es|ing|ination|er|inator)|meta(?:data)?|info|results?|resultset|list|listing|search|query|summary|stats?|statistics|counts?|totals?|range|cursors?|links?|response|request|context|additional|details|connectors?|data|items|records|collection|navigation|headers?|body|envelope|payload|extra|extensions|attributes|properties|params|parameters|options|controls|hits|window|slice|chunk|batch|value|embedded)$/;

/** Words of objects with numbers about something else. */
const otherWords =
  /^(?:quotas?|usage|limits?|ratelimit|rate|licen[cs]es?|billing|plan|costs?|price|shards|timings?|errors?|budget|subscription|entitlements?|storage|cache)$/;

/** Fields beside numbers that are an allowance, not a list. */
const allowanceFields = /^(?:used|consumed|free|allowed|quota|reset)/i;

/** Roles that only the description of a page has. */
const pagingRoles: ReadonlySet<Role | undefined> = new Set<Role>([
  'page',
  'pages',
  'lastPage',
  'offset',
  'more',
  'next',
  'cursor',
]);

/** Roles with a meaning in an object of an unknown name, because no other number has such a name. */
const plainRoles: ReadonlySet<Role> = new Set<Role>([...pagingRoles, 'total', 'ended'] as Role[]);

/**
 * Which signs of an object belong to the list. `all`: it describes the list. `plain`: it may, and has no more
 * common explanation. `none`: it describes something else.
 */
type Trust = 'all' | 'plain' | 'none';

/** Judges an object by its name and its content. @param outer of the object around it */
function trustIn(name: string, object: JsonObject, outer: Trust): Trust {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const fields = Object.keys(object);
  const isAllowance = fields.some((field) => allowanceFields.test(field));
  if (words.some((word) => otherWords.test(word)) || isAllowance) return 'none';
  if (words.some((word) => listWords.test(word))) return outer === 'none' ? 'none' : 'all';
  const isResource = 'id' in object || 'uuid' in object;
  if (isResource) return 'none';
  if (fields.some((field) => pagingRoles.has(roleOf(field)))) return 'all';
  // The plural names another collection: `alerts: {total: 17}`.
  return name.endsWith('s') ? 'none' : outer === 'none' ? 'none' : 'plain';
}

/** "1-50 of 2000", "0-49/2000", "page 1 of 40", "Showing 50 of 2000 results". */
const rangeText =
  /^(?:(?:showing|displaying|page|items?|results?|records?|rows?|entries|connectors?)\s+)*(?:\d+\s*(?:-|\u2013|to|of(?=.*\/))\s*\d+\s*(?:\/|of)|\d+\s+of)\s*(\d+)(?:\s+(?:items?|results?|records?|rows?|entries|connectors?|pages?))?[.\s]*$/i;

/** The signs in an object beside the list, and in the objects in it: outer ones first. */
export function signsIn(members: JsonObject, headers: JsonObject): readonly Sign[] {
  const signs: Sign[] = [];
  let level: (readonly [JsonObject, Trust])[] = [
    [members, 'all'],
    [headers, 'all'],
  ];
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const inner: typeof level = [];
    for (const [object, trust] of level) {
      for (const [field, value] of Object.entries(object)) {
        const role = roleOf(field);
        if (
          role !== undefined &&
          (trust === 'all' || (trust === 'plain' && plainRoles.has(role)))
        ) {
          signs.push({field, role, value});
        }
        if (typeof value === 'string' && trust !== 'none') signs.push(...signsInText(field, value));
        if (isObject(value)) inner.push([value, trustIn(field, value, trust)]);
      }
    }
    level = inner;
  }
  return signs;
}

function signsInText(field: string, text: string): readonly Sign[] {
  const total = text.length < 80 ? rangeText.exec(text)?.[1] : undefined;
  if (total === undefined) return [];
  const isPages = /page/i.test(text) || roleOf(field) === 'page';
  return [{field, role: isPages ? 'pages' : 'total', value: total}];
}

/** Headers as fields, without those of one request or connection; JSON in a header as an object. */
export function fieldsOf(headers: Readonly<Record<string, string | undefined>>): JsonObject {
  const fields = Object.entries(headers).flatMap(([name, value = '']): [string, Json][] => {
    if (/^(?:content-range|link)$/.test(name)) return [];
    return [[name, value.startsWith('{') ? (parseJsonOrUndefined(value) ?? value) : value]];
  });
  return Object.fromEntries(fields);
}

/** What the fields and headers beside a list say about its other pages. */
export class PagingFields {
  readonly #signs: readonly Sign[];

  constructor(members: JsonObject, headers: Readonly<Record<string, string | undefined>>) {
    this.#signs = signsIn(members, fieldsOf(headers));
  }

  #of(...roles: Role[]): readonly Sign[] {
    return this.#signs.filter(({role}) => roles.includes(role));
  }

  /** The greatest number of a role. */
  most(role: Role): number | undefined {
    const values = this.#of(role).map(({value}) => readCount(value));
    return values.reduce(
      (most, value) => (value === undefined || value < (most ?? 0) ? most : value),
      undefined,
    );
  }

  /** The first number of a role. */
  place(role: Role): Place | undefined {
    for (const {field, value} of this.#of(role)) {
      const count = readCount(value);
      // A number is that of a page only beside the number of pages.
      const isUnclear = field === 'number' && this.#of('pages').length === 0;
      if (count !== undefined && !isUnclear) {
        return {field, parameter: parameterOf(field), value: count};
      }
    }
    return undefined;
  }

  /** Whether the response says that there are more connectors, or that there are none. */
  get more(): boolean | undefined {
    const said = [
      ...this.#of('more', 'next').map(({value, role}) =>
        role === 'more' && typeof value === 'number' ? value > 0 : readBoolean(value),
      ),
      ...this.#of('remaining').map(({value}) => (readCount(value) ?? 0) > 0 || undefined),
      ...this.#of('ended', 'lastPage').map(({value}) => readBoolean(value) === false || undefined),
    ];
    return said.includes(true) || (said.includes(false) ? false : undefined);
  }

  /** Whether the response says that this is the last page. */
  get ends(): boolean {
    return (
      this.#of('ended', 'lastPage').some(({value}) => readBoolean(value) === true) ||
      this.#of('next').some(
        ({value}) =>
          value === null ||
          value === '' ||
          value === false ||
          (typeof value === 'number' && value <= 0),
      )
    );
  }

  /** The address of the next page or a value that leads to it, with the parameter for that. */
  get next():
    | {readonly parameter: string; readonly value: string; readonly isAddress: boolean}
    | undefined {
    for (const {field, value} of this.#of('next')) {
      const text = readCursor(value);
      if (text !== undefined) {
        const isAddress = /(?:url|uri|href|link|path)$/.test(lettersOf(field));
        return {parameter: parameterOf(field), value: text, isAddress: isAddress || isUrl(text)};
      }
    }
    return undefined;
  }

  /** Whether there is a next page that no request can name. */
  get hasUnreadableNext(): boolean {
    return this.#of('next').some(({value}) => isObject(value) && Object.keys(value).length > 0);
  }

  /** A cursor that may be that of the last connector. */
  get cursor():
    | {readonly parameter: string; readonly value: string; readonly isEnd: boolean}
    | undefined {
    for (const {field, value} of this.#of('cursor')) {
      const text = readCursor(value);
      if (text !== undefined) {
        return {parameter: parameterOf(field), value: text, isEnd: !/^cursor$/i.test(field)};
      }
    }
    return undefined;
  }
}

/** A `next` that is an address, not a cursor: absolute, or relative to the page. */
function isUrl(value: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(value);
}

/** A cursor, or the address of the next page. */
function readCursor(value: Json): string | undefined {
  if (isObject(value)) return firstValue(value, ['href', 'url', 'link', 'uri'], readText);
  return typeof value === 'number' && value <= 0 ? undefined : readLabel(value);
}

function readBoolean(value: Json): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && /^(?:true|false)$/i.test(value)
    ? /^t/i.test(value)
    : undefined;
}

/** A whole number of 0 or more, also as a text, or in an object: `{"value": 25, "relation": "eq"}`. */
export function readCount(value: Json | undefined): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const digits = typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && /^\s*\d{1,15}\s*$/.test(digits) ? Number(digits) : undefined;
}
