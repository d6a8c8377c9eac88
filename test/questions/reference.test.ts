/** The page of addresses, and the examples in the OpenAPI document. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { REFERENCE, referenceOf } from "../../scripts/api-reference.mjs";
import { allRoutes } from "../../src/http/routes/all.ts";
import { ANSWER_EXAMPLES, OPERATION_EXAMPLES, PARAMETER_EXAMPLES } from "../../src/questions/derived/examples.ts";
import { labelOf } from "../../src/questions/derived/json-schema.ts";
import { openApiDocument } from "../../src/questions/derived/openapi.ts";
import { operations } from "../../src/questions/derived/operations.ts";
import { differences } from "../support/answers.ts";

const OPERATIONS = await operations();

const DOCUMENT = await openApiDocument("0.0.0-test", allRoutes({ dev: false }));

it("docs/http-api.md equals what node scripts/api-reference.mjs generates", () => {
  // As the script gets it.
  const page = referenceOf(JSON.parse(JSON.stringify(DOCUMENT)));
  expect(readFileSync(REFERENCE, "utf8")).toBe(page);
});

it.each(ANSWER_EXAMPLES.map(([schema, example]) => [labelOf(schema)?.id, schema, example] as const))(
  "the example of %s is valid by its schema",
  (_, schema, example) => {
    expect(differences(schema, example)).toEqual([]);
  },
);

it("examples are of existing parameters, and are accepted", () => {
  const used = new Set<string>();
  for (const [path, methods] of Object.entries(DOCUMENT.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters } = operation as { parameters: { name?: string; in: string; example?: unknown }[] };
      const key = Object.keys(OPERATIONS).find(
        (one) => one.replace(/(?:\*\*)?:(\w+)/g, "{$1}") === `${method.toUpperCase()} ${path}`,
      );
      const given = parameters.flatMap(({ name = "", example }) => (example === undefined ? [] : [[name, example]]));
      for (const [name] of given) used.add(String(name));
      const query = parameters.flatMap(({ name = "", in: place, example }) =>
        place === "query" && example !== undefined ? [[name, example] as const] : [],
      );
      const shape = OPERATIONS[key ?? ""]?.query.shape ?? {};
      for (const [name, example] of query) {
        expect([key, name, shape[name]?.safeParse(example).success]).toEqual([key, name, true]);
      }
    }
  }
  expect(Object.keys(PARAMETER_EXAMPLES).filter((name) => name !== "app" && !used.has(name))).toEqual([]);
  expect(Object.keys(OPERATION_EXAMPLES).filter((key) => OPERATIONS[key] === undefined)).toEqual([]);
  // Every path can be tried out.
  const paths = Object.values(DOCUMENT.paths).flatMap((methods) => Object.values(methods)) as {
    parameters: { in?: string; name?: string; example?: unknown }[];
  }[];
  const without = paths.flatMap(({ parameters }) =>
    parameters.filter((one) => one.in === "path" && one.example === undefined).map(({ name }) => name),
  );
  expect(without).toEqual([]);
});
