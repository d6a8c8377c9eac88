/** The OpenAPI document against the table of routes, against itself, and against the schema of OpenAPI 3.1. */
import { validate } from "@hyperjump/json-schema/openapi-3-1";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/http/routes/all.ts";
import { openApiDocument } from "../../src/questions/derived/openapi.ts";
import { operations } from "../../src/questions/derived/operations.ts";

const OPERATIONS = await operations();

const ROUTES = allRoutes({ dev: true });
const DOCUMENT = await openApiDocument("0.0.0-test", ROUTES);

const addressOf = (path: string) => path.replace(/(?:\*\*)?:(\w+)/g, "{$1}");

/** Every value under a key, however deep. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...valuesOf(key, member),
  ]);
}

describe("the OpenAPI document", () => {
  it("lists every route and no other", () => {
    const listed = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${addressOf(path)}`).sort());
    expect(listed.length).toBeGreaterThan(80);
  });

  it("has no operation without a route", () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(OPERATIONS).filter((key) => !routes.includes(key))).toEqual([]);
  });

  it("leaves out routes for developers", async () => {
    const paths = Object.keys((await openApiDocument("0", allRoutes({ dev: false }))).paths);
    expect(paths).not.toContain("/workflows/debug");
    expect(Object.keys(DOCUMENT.paths)).toContain("/workflows/debug");
  });

  it("resolves every reference", () => {
    const references = valuesOf("$ref", DOCUMENT).map(String);
    expect(references.length).toBeGreaterThan(300);
    const broken = references.filter((reference) => {
      const steps = reference.replace(/^#\//, "").split("/");
      return (
        steps.reduce<unknown>((place, step) => (place as Record<string, unknown> | undefined)?.[step], DOCUMENT) ===
        undefined
      );
    });
    expect(broken).toEqual([]);
  });

  it("names every parameter of a path, and has a body only for requests that send one", () => {
    for (const { method, path } of ROUTES) {
      const operation = DOCUMENT.paths[addressOf(path)]?.[method.toLowerCase()] as {
        parameters: { name?: string; in?: string }[];
        requestBody?: unknown;
      };
      const named = operation.parameters.filter((one) => one.in === "path").map(({ name }) => name);
      expect(named).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
      if (method === "GET") expect(operation.requestBody).toBeUndefined();
    }
  });

  describe("by the schema of OpenAPI 3.1", async () => {
    // The package brings this schema along; nothing is fetched. Unlike `schema`, `schema-base` also checks the schemas in the document.
    const isValid = await validate("https://spec.openapis.org/oas/3.1/schema-base");

    /** What is wrong with a copy of the document, in which `spoil` may change something: the place of each error. */
    const errorsIn = (spoil: (copy: typeof DOCUMENT) => void = () => {}): string[] => {
      const copy = JSON.parse(JSON.stringify(DOCUMENT)) as typeof DOCUMENT;
      spoil(copy);
      const output = isValid(copy as unknown as Parameters<typeof isValid>[0], "BASIC");
      if (output.valid) return [];
      return (output.errors ?? []).map(({ instanceLocation }) => decodeURIComponent(instanceLocation));
    };

    it("is valid", () => {
      expect(errorsIn()).toEqual([]);
    });

    it("is invalid with an unknown type, a parameter in an unknown place, a bad status, or no title", () => {
      // All at once: the document is large, and every mistake has a place of its own.
      const errors = errorsIn(({ components, paths, info }) => {
        Object.assign(components.schemas.Failure ?? {}, { type: "map" });
        Object.assign(components.parameters.app, { in: "form" });
        Object.assign(paths["/health"]?.get as object, { responses: { ok: {} } });
        Object.assign(info, { title: 1 });
      });
      expect(errors).toEqual(
        expect.arrayContaining([
          "#/components/schemas/Failure/type",
          "#/components/parameters/app/in",
          "#/paths/~1health/get/responses/ok",
          "#/info/title",
        ]),
      );
    });
  });

  it("allows additional members of later versions", () => {
    expect(valuesOf("additionalProperties", DOCUMENT.components.schemas)).not.toContain(false);
  });

  it("does not mention the maximum of a JavaScript number", () => {
    expect(JSON.stringify(DOCUMENT)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });
});
