import * as z from 'zod/mini';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema of the contract as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const {$schema: _, ...rest} = z.toJSONSchema(schema, {
    io,
    override: ({jsonSchema: node}) => mergeNull(node),
  });
  return rest;
}

/**
 * The schema that serializes a response: fields outside the schema cannot leak. Times and enumerated words have the
 * format `unsafe`: they need no escaping.
 */
export function responseSchema(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    override: ({jsonSchema: node}) => {
      mergeNull(node);
      if (node.format === 'date-time' || node.enum) node.format = 'unsafe';
      delete node.pattern;
    },
  });
}

/** Writes "T or null" as a list of types, which is simpler to display and serialize than `anyOf`. */
export function mergeNull(node: JsonSchema): void {
  const [first, second] = node.anyOf ?? [];
  if (typeof first !== 'object' || typeof second !== 'object') return;
  if (typeof first.type !== 'string' || second.type !== 'null') return;
  delete node.anyOf;
  Object.assign(node, first, {type: [first.type, 'null']});
  if (first.enum) node.enum = [...first.enum, null];
}
