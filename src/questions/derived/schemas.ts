/** The schemas of whole answers, which `monitor schema` prints by name. */
import { z } from "zod";
import { CommandFailure, Failure } from "../../api/problem.ts";
import { SCHEMA_VERSION } from "../../api/version.ts";
import { QUESTIONS } from "../all.ts";
import { type JsonSchema, labelOf, wholeSchema } from "./json-schema.ts";
import { operations, printed } from "./operations.ts";

export const SchemaEntry = z
  .object({
    name: z.string(),
    description: z.string(),
    commands: z.array(z.string()).describe("Commands that print it with `--json`."),
    routes: z.array(z.string()).describe("Addresses that answer it: `GET /invocations/:id`."),
  })
  .meta({ id: "SchemaEntry" });
export type SchemaEntry = z.infer<typeof SchemaEntry>;

export const SchemaList = z
  .object({ schemas: z.array(SchemaEntry).describe("By name.") })
  .meta({ id: "SchemaList", description: "The schemas of answers, with where they are used." });
export type SchemaList = z.infer<typeof SchemaList>;

/** Every answer by name, with where it is used. */
export async function schemaList(): Promise<SchemaList> {
  const schemas = [...(await answers())].map(([name, { schema, commands, routes }]) => {
    return { name, description: labelOf(schema)?.description ?? "", commands, routes };
  });
  return { schemas: schemas.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The JSON Schema of the answer with this name, or null. Answers that are objects carry `schema_version`. */
export async function answerSchema(name: string): Promise<JsonSchema | null> {
  if (!(await answers()).has(name)) return null;
  const schema = wholeSchema(name);
  if (schema.type !== "object") return schema;
  const { properties = {}, required = [] } = schema as { properties?: JsonSchema; required?: string[] };
  return {
    ...schema,
    properties: { schema_version: { const: SCHEMA_VERSION }, ...properties },
    required: ["schema_version", ...required],
  };
}

interface Answer {
  schema: z.ZodType;
  commands: string[];
  routes: string[];
}

async function answers(): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>();
  const add = (schema: z.ZodType, place: { command?: string; route?: string }) => {
    const name = labelOf(schema)?.id;
    if (name === undefined) throw new Error(`the answer of ${place.command ?? place.route} has no name`);
    const known = found.get(name) ?? { schema, commands: [], routes: [] };
    found.set(name, known);
    if (place.command !== undefined) known.commands.push(place.command);
    if (place.route !== undefined) known.routes.push(place.route);
  };
  for (const [command, schemas] of Object.entries(await printed()))
    for (const schema of schemas) add(schema, { command });
  add(SchemaList, { command: "schema" });
  for (const [route, { answer }] of Object.entries(await operations())) if (answer !== null) add(answer, { route });
  // One without a name is a part of another.
  const ofTools = await Promise.all(QUESTIONS.map(({ tool }) => tool?.answers?.() ?? []));
  for (const schema of ofTools.flat()) if (labelOf(schema) !== null) add(schema, {});
  add(Failure, {});
  add(CommandFailure, {});
  return found;
}

/** The names most similar to an unknown one. */
export async function similarNames(word: string): Promise<string[]> {
  const given = letters(word);
  const names = (await schemaList()).schemas.map(({ name }) => name);
  return names.filter((name) => given !== "" && (letters(name).includes(given) || given.includes(letters(name))));
}

function letters(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");
}
