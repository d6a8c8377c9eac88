import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLinks, queryString } from "../../src/presentation/links.ts";
import { anyText } from "../support/any-text.ts";

const HOSTILE_IDS = [
  "a/b",
  "100%",
  "%2F",
  "a#b",
  "task: one",
  "a b",
  `"quoted" 'single'`,
  "<script>alert(1)</script>",
  "größe-β-任務",
  "javascript:alert(1)",
  "//evil.example/x",
  "a?b=c&d",
  "back\\slash",
  "line\nfeed",
];

const ORIGIN = "http://monitor.test";

describe("links", () => {
  const links = createLinks(null);
  const builders: [string, (id: string) => string, string][] = [
    ["runner", links.runner, "/runners/"],
    ["atomicRun", links.atomicRun, "/runners/atomic-service/runs/"],
    ["task", links.task, "/tasks/"],
    ["invocation", links.invocation, "/invocations/"],
    ["workflowType", links.workflowType, "/workflows/"],
    ["event", links.event, "/events/"],
    ["triggerRun", links.triggerRun, "/trigger-runs/"],
    ["trigger", links.trigger, "/triggers/"],
  ];

  test.each(builders)("%s has any id as one segment of its path", (_name, build, prefix) => {
    for (const id of HOSTILE_IDS) {
      const url = new URL(build(id), ORIGIN);
      expect(url.origin).toBe(ORIGIN);
      expect(url.hash).toBe("");
      expect(url.search).toBe("");
      expect(url.pathname.startsWith(prefix)).toBe(true);
      const segment = url.pathname.slice(prefix.length);
      expect(segment).not.toContain("/");
      expect(decodeURIComponent(segment)).toBe(id);
    }
  });

  test("keep any text, except what URLs cannot contain", () => {
    fc.assert(
      fc.property(
        anyText().filter((id) => id !== "" && id !== "." && id !== ".."),
        (id) => {
          const url = new URL(links.invocation(id), ORIGIN);
          expect(decodeURIComponent(url.pathname.slice("/invocations/".length))).toBe(id);
        },
      ),
    );
  });

  test("replace a lone surrogate instead of throwing", () => {
    expect(links.task("a\ud800b")).toBe("/tasks/a%EF%BF%BDb");
  });

  test("have the ids of calls and client data in the query", () => {
    for (const id of HOSTILE_IDS) {
      expect(new URL(links.call(id), ORIGIN).searchParams.get("call_id_key")).toBe(id);
      expect(new URL(links.clientValue(id), ORIGIN).searchParams.get("reference")).toBe(id);
    }
  });

  test("of collections are right", () => {
    expect(links.dashboard()).toBe("/");
    expect(links.queue({ page: 2 })).toBe("/broker/queue?page=2");
    expect(links.invocations({ status: ["failed", "retry"] })).toBe("/invocations/?status=failed&status=retry");
    expect(links.timeline()).toBe("/invocations/timeline");
    expect(links.asset("client/main.js")).toBe("/assets/client/main.js");
  });
});

describe("the pinned app", () => {
  const links = createLinks("two/β&x");

  test("is added to every page", () => {
    for (const href of [
      links.dashboard(),
      links.task("a?b"),
      links.call("c"),
      links.current("/broker/refresh", { page: 3 }),
    ]) {
      expect(new URL(href, ORIGIN).searchParams.getAll("app")).toEqual(["two/β&x"]);
    }
  });

  test("wins over an app in the query", () => {
    // @ts-expect-error: the links alone name the app
    expect(new URL(links.invocations({ app: "other" }), ORIGIN).searchParams.getAll("app")).toEqual(["two/β&x"]);
  });

  test("is not added to the app switch and to assets", () => {
    expect(links.asset("app.css")).toBe("/assets/app.css");
  });

  test("can be another one of the store, at the same place", () => {
    const place = { basePath: "/mon", timeRange: { range: "1h" } };
    const other = createLinks("a", place).inApp("b");
    expect(other.keeping(other.tasks())).toBe("/mon/tasks/?app=b&range=1h");
    expect(createLinks("a", place).inApp(null).tasks()).toBe("/mon/tasks/");
  });
});

test("every address begins with the base path", () => {
  const plain = createLinks("a");
  const placed = createLinks("a", { basePath: "/ops/mon" });
  const builders = Object.entries(plain).filter(
    ([name, build]) =>
      typeof build === "function" && !["keeping", "afterAction", "inApp", "current", "formAction"].includes(name),
  );
  expect(builders.length).toBeGreaterThan(50);
  for (const [name, build] of builders) {
    const href = (build as (id: string) => string)("x");
    expect(href).toMatch(/^\//);
    expect((placed[name as "task"] as (id: string) => string)("x")).toBe(`/ops/mon${href}`);
  }
  expect(placed.formAction("/tasks/")).toBe("/ops/mon/tasks/");
  expect(placed.current("/tasks/refresh")).toBe("/ops/mon/tasks/refresh?app=a");
});

describe("queryString", () => {
  test("leaves out what is absent", () => {
    expect(queryString({ a: undefined, b: null, c: "", d: [], e: [""] })).toBe("");
    expect(queryString({ zero: 0, no: false })).toBe("?zero=0&no=false");
  });

  test("is read back by URLSearchParams", () => {
    fc.assert(
      fc.property(fc.array(anyText({ minLength: 1 })), (values) => {
        expect(new URLSearchParams(queryString({ v: values })).getAll("v")).toEqual(values);
      }),
    );
  });
});
