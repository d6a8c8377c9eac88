/** The parameters that are documented are those that are accepted. Their words and bounds are read by the same declaration. */
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/questions/derived/operations.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const OPERATIONS = await operations();

const APP = "kitchen_sink";

/** Addresses that refuse a parameter which they do not have, and say which they have. */
const STRICT = Object.keys(OPERATIONS).filter((key) => key.startsWith("GET ") && names(key).length > 0);

function names(key: string): string[] {
  return Object.keys(OPERATIONS[key]?.query.shape ?? {});
}

/** The address with an id where one is needed: parameters are read before anything is looked up. */
function targetOf(key: string): string {
  return (key.split(" ")[1] ?? "").replace(/(\*\*)?:\w+/g, "some-id");
}

describe("the documented parameters of", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: APP }));

  const refusal = async (key: string, query: string) => {
    const extra = key === "GET /calls/" ? "&call_id_key=some" : "";
    const response = await monitor.get(`${targetOf(key)}?${query}${extra}`, {
      headers: { accept: "application/json" },
    });
    // What is accepted may be answered with a page or a file.
    const text = await response.text();
    const problem =
      response.status === 400 ? (JSON.parse(text) as { errors: { parameter: string; accepted: string }[] }) : null;
    return { status: response.status, errors: problem?.errors ?? [] };
  };

  it("more than 30 addresses are known", () => {
    expect(STRICT.length).toBeGreaterThan(30);
  });

  it.each(STRICT)("%s are those that it accepts", async (key) => {
    const { status, errors } = await refusal(key, "no_such_parameter=1");
    expect(status).toBe(400);
    const accepted = errors.find(({ parameter }) => parameter === "no_such_parameter")?.accepted ?? "";
    const told = accepted.replace("the parameters here are ", "").split(", ");
    expect(told.sort()).toEqual(acceptedNames(key).sort());
  });

  it("can be corrected on the page that refuses their values, which links to the address without unknown ones", async () => {
    const page = async (query: string) =>
      parse(await (await monitor.get(`/invocations/?${query}`, { headers: { accept: "text/html" } })).text());
    const links = (await page("foo=1&limit=5")).querySelectorAll("main a").map((a) => a.getAttribute("href"));
    expect(links[0]).toBe("/invocations/?limit=5&app=kitchen_sink");
    expect((await page("foo=1")).querySelector("main form")).toBeNull();
    const both = await page("foo=1&limit=x");
    expect(both.querySelectorAll("main form input").map((input) => input.getAttribute("name"))).toContain("limit");
    expect(both.querySelectorAll("main form input[name=foo]")).toEqual([]);
  });
});

/** Lists whose columns a viewer chooses. */
const WITH_COLUMNS = [
  ...["/invocations/", "/invocations/table", "/events/", "/trigger-runs/", "/tasks/", "/tasks/refresh"],
  ...["/runners/", "/runners/refresh"],
];

/** What the refusal of an unknown parameter lists: some are read before the others and not listed with them. */
function acceptedNames(key: string): string[] {
  const apart: Record<string, string[]> = {
    "GET /calls/": ["call_id_key"],
    ...Object.fromEntries(WITH_COLUMNS.map((path) => [`GET ${path}`, ["fields"]])),
    "GET /invocations/export": ["format", "fields"],
    "GET /events/export": ["format"],
    "GET /invocations/timeline": ["format"],
    // Those of the choice are read first, the rest by the list of invocations.
    "GET /invocations/rerun": ["all", "selected", "force", "queue", "priority"],
  };
  const own = names(key).filter((name) => !(apart[key] ?? []).includes(name));
  // The filters of a list come with its pages.
  const pages = ["GET /events/export"].includes(key) || key === "GET /invocations/rerun" ? ["page"] : [];
  return [...new Set([...own, ...pages])];
}
