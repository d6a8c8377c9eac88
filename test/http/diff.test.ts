/** Two invocations side by side: the form that asks for them, and the page that shows them. */
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { Diff } from "../../src/api/diff.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const A = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const B = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";

describe("the page that compares two invocations", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" }));

  const fields = async (path: string) => {
    const page = parse(await monitor.text(path));
    const form = page.querySelector("form.filter-form");
    return form?.querySelectorAll("input[type=text], input:not([type])").map((one) => one.getAttribute("value") ?? "");
  };

  it("asks for the missing id, and keeps the given one", async () => {
    expect(await fields("/diff")).toEqual(["", ""]);
    expect(await fields(`/diff?a=${A}`)).toEqual([A, ""]);
    expect(await monitor.text("/diff")).toContain("Slowest and fastest of recent successes");
  });

  it("keeps both ids in its form", async () => {
    expect(await fields(`/diff?a=${A}&b=${B}`)).toEqual([A, B]);
    expect((await monitor.json<Diff>(`/diff?a=${A}&b=${B}`)).a).toBe(A);
  });

  it("is linked from the navigation and from the page of an invocation", async () => {
    const start = parse(await monitor.text("/"));
    expect(start.querySelector("nav a[href^='/compare/']")?.text).toContain("Compare");
    const compare = parse(await monitor.text("/compare/"));
    expect(compare.querySelector("main a[href='/diff']")).not.toBeNull();
    const one = parse(await monitor.text(`/invocations/${B}`));
    expect(one.querySelector("main a[href^='/diff?a=']")).not.toBeNull();
  });

  it("names the missing id to a program", async () => {
    const { status, errors } = await monitor.json<{ status: number; errors: unknown }>(`/diff?a=${A}`);
    const accepted = "expected the id of an invocation or a workflow run, or last-success";
    expect([status, errors]).toEqual([400, [{ parameter: "b", value: "", accepted }]]);
  });
});
