/** The schemas as JSON Schema (draft 2020-12). Additional members are allowed, because a later version may add some. */
import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

const OPTIONS = {
  io: "input",
  override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => withoutSafeInteger(jsonSchema),
} as const;

/** A schema without a name, such as the parameters of an address. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, OPTIONS);
}

const DEFINITIONS = "#/$defs/";

/** One named schema on its own, with the schemas it refers to under `$defs`. */
export function wholeSchema(name: string): JsonSchema {
  const all = namedSchemas(DEFINITIONS);
  const wanted = new Set<string>();
  const collect = (schema: JsonSchema | undefined) => {
    for (const [, found = ""] of JSON.stringify(schema ?? {}).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) {
      if (wanted.has(found)) continue;
      wanted.add(found);
      collect(all[found]);
    }
  };
  collect(all[name]);
  const $defs = Object.fromEntries([...wanted].sort().map((found) => [found, all[found]]));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name,
    ...all[name],
    ...(wanted.size > 0 && { $defs }),
  };
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

/** Removes zod's bounds of safe integers: they say nothing about the data. */
function withoutSafeInteger(schema: JsonSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
