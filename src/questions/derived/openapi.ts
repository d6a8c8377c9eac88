/** The OpenAPI document: every address of the monitor with its parameters and answers. */
import type { z } from "zod";
import { Failure } from "../../api/problem.ts";
import { versioned } from "../../api/version.ts";
import { answerExample, OPERATION_EXAMPLES, PARAMETER_EXAMPLES } from "./examples.ts";
import { type JsonSchema, jsonSchema, labelOf, namedSchemas } from "./json-schema.ts";
import { type Operation, operations } from "./operations.ts";

const SCHEMAS = "#/components/schemas/";

/** A route as the table of routes has it: `/invocations/:id`, `/calls/**:call_id_key`. */
export interface RouteAddress {
  method: string;
  path: string;
}

/** An OpenAPI 3.1 document of these routes, in their order. @param version of pynenc-monitor. @param basePath in front of every path, or empty. */
export async function openApiDocument(version: string, routes: readonly RouteAddress[], basePath = "") {
  const known = await operations();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path } of routes) {
    const operation = known[`${method} ${path}`];
    if (operation === undefined) continue;
    const address = path.replace(/(?:\*\*)?:(\w+)/g, "{$1}");
    paths[address] = { ...paths[address], [method.toLowerCase()]: operationObject(method, path, operation) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "pynenc-monitor",
      version,
      description:
        "Pages answer JSON to clients that prefer application/json. Members may be added to an answer; one that goes or changes its meaning raises schema_version.",
    },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    paths,
    components: {
      schemas: namedSchemas(SCHEMAS),
      parameters: {
        app: {
          name: "app",
          in: "query",
          description: "The app to answer for; without it, the active one.",
          schema: { type: "string" },
          example: PARAMETER_EXAMPLES.app,
        },
      },
      responses: {
        Failure: {
          description: "The request was refused or failed.",
          content: { "application/problem+json": answerContent(Failure) },
        },
      },
    },
  };
}

function operationObject(method: string, path: string, operation: Operation) {
  const { area, summary, answer, forms, query, body, redirects } = operation;
  const content = Object.fromEntries([
    ...(answer === null ? [] : [["application/json", answerContent(answer)] as const]),
    ...forms.map((type) => [type, { schema: { type: "string" } }] as const),
  ]);
  const examples = { ...PARAMETER_EXAMPLES, ...OPERATION_EXAMPLES[`${method} ${path}`] };
  return {
    tags: [area],
    summary,
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
        ...exampleOf(examples, name),
      })),
      ...queryParameters(query, examples),
      { $ref: "#/components/parameters/app" },
    ],
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: {
      ...(redirects ? { 303: { description: "Elsewhere." } } : { 200: { description: summary, content } }),
      default: { $ref: "#/components/responses/Failure" },
    },
  };
}

function queryParameters(query: z.ZodObject, examples: Readonly<Record<string, unknown>>) {
  const { properties = {}, required = [] } = jsonSchema(query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, deprecated, ...schema }]) => ({
    name,
    in: "query",
    ...(description !== undefined && { description }),
    ...(required.includes(name) && { required: true }),
    ...(deprecated !== undefined && { deprecated }),
    schema,
    // A schema may have bounds of its own that a general example does not meet.
    ...(schema.enum === undefined && schema.type !== "integer" && exampleOf(examples, name)),
  }));
}

function exampleOf(examples: Readonly<Record<string, unknown>>, name = ""): { example?: unknown } {
  return Object.hasOwn(examples, name) ? { example: examples[name] } : {};
}

/** The content of an answer, with the version that every answer has. */
function answerContent(answer: z.ZodType) {
  const example = answerExample(answer);
  return {
    schema: reference(answer),
    ...(example !== undefined && { example: versioned(example as object) }),
  };
}

/** Fields may be sent as a form or as JSON. */
function requestBody(body: z.ZodObject) {
  const { $schema: _dialect, ...schema } = jsonSchema(body);
  return { content: { "application/x-www-form-urlencoded": { schema }, "application/json": { schema } } };
}

function reference(schema: z.ZodType): JsonSchema {
  const label = labelOf(schema);
  if (label === null) throw new Error("an answer of an address has no name");
  return { $ref: `${SCHEMAS}${label.id}` };
}
