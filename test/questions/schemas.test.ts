/** The schemas that can be asked for by name. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PageInfo, seconds } from "../../src/api/model/common.ts";
import { type JsonSchema, namedSchemas } from "../../src/questions/derived/json-schema.ts";
import { answerSchema, schemaList, similarNames } from "../../src/questions/derived/schemas.ts";
import { differences, operationOf } from "../support/answers.ts";

describe("the schemas of answers", () => {
  it("have a description each", async () => {
    const { schemas } = await schemaList();
    expect(schemas.length).toBeGreaterThan(50);
    expect(schemas.filter(({ description }) => description === "").map(({ name }) => name)).toEqual([]);
    expect(new Set(schemas.map(({ name }) => name)).size).toBe(schemas.length);
  });

  it("list the commands and routes that use them", async () => {
    const { schemas } = await schemaList();
    const find = (name: string) => schemas.find((one) => one.name === name);
    expect(find("InvocationList")).toMatchObject({
      commands: ["invocations"],
      routes: ["GET /invocations/", "GET /invocations/table"],
    });
    expect(find("CommandFailure")).toMatchObject({ commands: [], routes: [] });
  });

  it("include the version and every schema that they refer to", async () => {
    const schema = (await answerSchema("InvocationList")) as {
      properties: Record<string, unknown>;
      required: string[];
      $defs: Record<string, unknown>;
    };
    expect(schema.properties.schema_version).toEqual({ const: 2 });
    expect(schema.required.slice(0, 2)).toEqual(["schema_version", "invocations"]);
    expect(Object.keys(schema.$defs)).toContain("InvocationRow");
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(
      ([, name]) => name ?? "",
    );
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((name) => !(name in schema.$defs))).toEqual([]);
    expect(await answerSchema("InvocationHistory")).toMatchObject({ type: "array" });
    expect(await answerSchema("invocationlist")).toBeNull();
  });

  it("name every length of time by its unit: the name ends in _seconds", async () => {
    await schemaList();
    const named: [name: string, isTime: boolean][] = [];
    const seen = new Set<z.core.$ZodType>();
    const isTime = (schema: z.core.$ZodType | undefined): boolean =>
      schema !== undefined && (schema === seconds || isTime(schema._zod.parent));
    const walk = (schema: z.core.$ZodType, name = ""): void => {
      if (schema instanceof z.ZodNumber) named.push([name, isTime(schema)]);
      if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) walk(schema.unwrap(), name);
      if (schema instanceof z.ZodArray) walk(schema.element, name);
      if (seen.has(schema)) return;
      seen.add(schema);
      if (schema instanceof z.ZodUnion) for (const one of schema.options) walk(one, name);
      if (schema instanceof z.ZodObject) for (const [member, one] of Object.entries(schema.shape)) walk(one, member);
    };
    const { _idmap: schemas } = z.globalRegistry;
    for (const schema of schemas.values()) walk(schema);
    expect(named.filter(([, time]) => time).length).toBeGreaterThan(40);
    expect(named.filter(([name, time]) => time !== name.endsWith("_seconds"))).toEqual([]);
  });

  it("use the same name for the same thing in lists and details, and one meaning for each name", () => {
    const schemas = namedSchemas("#/") as Record<string, JsonSchema & { properties?: Record<string, JsonSchema> }>;
    /** The kinds of value that a member can have; null apart. */
    const kindsOf = ({ type, $ref, anyOf }: JsonSchema): string[] =>
      Array.isArray(anyOf)
        ? [...new Set(anyOf.flatMap((one) => kindsOf(one as JsonSchema)))].sort()
        : [type, $ref].flat().filter((kind): kind is string => typeof kind === "string" && kind !== "null");
    const pairs = Object.keys(schemas).flatMap((row) => {
      const detail = row.replace(/Row$/, "Detail");
      return detail !== row && detail in schemas ? [[row, detail] as const] : [];
    });
    expect(pairs.length).toBeGreaterThan(5);
    const differing = pairs.flatMap(([row, detail]) => {
      const [ofRow, ofDetail] = [schemas[row]?.properties ?? {}, schemas[detail]?.properties ?? {}];
      return Object.keys(ofRow)
        .filter((name) => name in ofDetail)
        .filter((name) => String(kindsOf(ofRow[name] ?? {})) !== String(kindsOf(ofDetail[name] ?? {})))
        .map((name) => `${row}.${name}`);
    });
    // What a list cuts to one line for people, and its own page shows in full.
    expect(differing).toEqual(["InvocationRow.arguments", "InvocationRow.exception", "TriggerRow.argument_provider"]);
    const runs = Object.entries(schemas).filter(
      ([name, { properties = {} }]) =>
        "atomic_service_run_id" in properties && "status" in properties && !name.endsWith("Filter"),
    );
    expect(runs.map(([name]) => name)).toContain("TimelineServiceRun");
    expect(runs.filter(([, { properties = {} }]) => !("start_time" in properties && "end_time" in properties))).toEqual(
      [],
    );
  });

  it.each([
    ["invocationlist", "InvocationList"],
    ["invocations", "InvocationList"],
    ["Dashboards", "Dashboard"],
    ["status_report", "StatusReport"],
  ])("with names similar to %s are found", async (word, name) => {
    expect(await similarNames(word)).toContain(name);
  });

  it("are not found for a word without similar letters", async () => {
    expect([await similarNames("xyzzy"), await similarNames(""), await similarNames("42")]).toEqual([[], [], []]);
  });
});

/** The tests of the tests: what every answer is held against has to notice what is wrong. */
describe("the check of an answer against its schema", () => {
  const page = { number: 1, size: 50, total: 3, total_capped: false, has_next: false, first_row: 1, last_row: 3 };

  it.each([
    ["as it should be", page, []],
    ["with a member that is in no schema", { ...page, width: 3 }, ["width: not in the schema"]],
    ["with a member that is missing", { ...page, last_row: undefined }, [expect.stringMatching(/^last_row: /)]],
    ["with a member of another type", { ...page, total: "3" }, [expect.stringMatching(/^total: /)]],
  ])("finds the differences of an answer %s", (_, value, expected) => {
    expect(differences(PageInfo, value)).toEqual(expected);
  });

  it.each([
    ["GET", "/", "GET /"],
    ["GET", "/invocations", "GET /invocations/"],
    ["GET", "/invocations/timeline", "GET /invocations/timeline"],
    ["GET", "/invocations/some-id", "GET /invocations/:id"],
    ["GET", "/events/api/markers", "GET /events/api/markers"],
    ["GET", "/calls/a:b/c", "GET /calls/**:call_id_key"],
    ["GET", "/workflows/runs/refresh", "GET /workflows/runs/refresh"],
    ["POST", "/invocations/some-id/rerun", "POST /invocations/:id/rerun"],
    ["GET", "/nowhere", undefined],
  ])("of %s %s uses the route %s", (method, path, key) => {
    expect(operationOf(method, path)).toBe(key);
  });
});
