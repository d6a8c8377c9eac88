/** The file of a bundle: bounded, and hostile text stays text. */
import { options } from "preact";
import { expect, it } from "vitest";
import { bundleFile } from "../../src/http/bundle-file.tsx";
import { createLinks } from "../../src/presentation/links.ts";
import { placedWhy } from "../../src/presentation/verdict-steps.ts";
import { bundledInvocation } from "../../src/services/exports/bundle.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

async function part(id: string, note: string) {
  const app = memoryApp().invocation(id, { task: "shop.<b>", history: [[at(0), "registered"]] });
  const { why, detail, picture } = await bundledInvocation(app.opened, id);
  return {
    why: placedWhy(createLinks(null), why),
    detail: { ...detail, timeline: null, picture, verdicts: [], notes: [note] },
  };
}

const head = {
  about: "</title><script>alert(1)</script>",
  app_id: "shop",
  made_at: "2026-01-05T12:01:00.000000+00:00",
  version: "1",
  left_out: [],
  rows: [],
};

it("a bundle has details of as many invocations as fit, and says how many it only lists", async () => {
  const long = "x".repeat(3_500_000);
  const parts = [await part("a", long), await part("b", long), await part("c", long), await part("d", "short")];
  const html = bundleFile({ head, why: null, parts, logs: [] }, new Map());
  expect(html.match(/<section class="bundle-part"/g)?.length).toBe(2);
  expect(html).toContain("2 invocations are listed without their details");
  const whole = bundleFile({ head, why: null, parts: [await part("a", "x".repeat(9_000_000))], logs: [] }, new Map());
  expect(whole.match(/<section class="bundle-part"/g)?.length).toBe(1);
});

it("a bundle shows stored text as text, and leaves the rendering of other pages unchanged", async () => {
  const parts = [await part('a"><script>alert(2)</script>', "<script>alert(3)</script>")];
  const logs = [{ file: "</pre><script>", entries: [{ line: 1, text: "<script>alert(4)</script>\u202e" }], found: 1 }];
  const before = options.vnode;
  const html = bundleFile({ head, why: null, parts, logs }, new Map());
  expect(html).not.toContain("<script");
  expect(html).not.toContain("\u202e");
  expect(options.vnode).toBe(before);
});
