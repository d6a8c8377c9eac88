/** The schemas as JSON Schema (draft 2020-12). What an answer has beyond its schema is allowed: a later version may add members. */
import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

const OPTIONS = {
  io: "input",
  override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => withoutSafeInteger(jsonSchema),
} as const;

/** One schema by itself, with what it refers to under `$defs`. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, OPTIONS);
}

/** Every named schema that was loaded, by name; they refer to each other under `prefix`. */
export function namedSchemas(prefix: string): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...OPTIONS, uri: (id) => `${prefix}${id}` });
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { $schema: _dialect, $id: _address, ...schema }]) => [name, schema as JsonSchema]),
  );
}

/** The name and the description that a schema was given. */
export function labelOf(schema: z.ZodType): { id: string; description: string } | null {
  const { id, description = "" } = schema.meta() ?? {};
  return id === undefined ? null : { id, description };
}

/** Zod bounds every integer by what a JavaScript number holds exactly; that says nothing about the data. */
function withoutSafeInteger(schema: JsonSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
