/** The family tree as page, partial, picture and JSON, on real data and on data that means harm. */
import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FamilyTree } from "../../src/api/causes.ts";
import { insert, write } from "../browser/store.ts";
import { presentOf } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const ROOT = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const LEAF = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";
const HTML = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const HTMX = { headers: { accept: "text/html", "hx-request": "true" } };
const path = (id: string, query = "") => `/invocations/${encodeURIComponent(id)}/family-tree${query}`;

/** Nodes and edges as the picture has them. */
function drawn(root: HTMLElement) {
  const of = (selector: string, ...names: string[]) =>
    root.querySelectorAll(selector).map((one) => names.map((name) => one.getAttribute(name) ?? null));
  return {
    nodes: of(".family-node", "data-invocation-id", "data-status"),
    edges: of(".family-edge[data-to]", "data-from", "data-to", "data-edge-kind"),
    more: of("[data-more-of]", "data-more-of").flat(),
  };
}

describeWithMonitor(
  "the family tree",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const ask = async (target: string, init: RequestInit) => {
      const response = await monitor().get(target, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    };

    it("has the same nodes as a page, as a fragment for scripts and as a bare picture", async () => {
      const tree = await monitor().json<FamilyTree>(path(LEAF));
      const expected = {
        nodes: tree.nodes.map((node) => [node.invocation_id, node.status]).sort(),
        edges: tree.nodes
          .flatMap((node) => (node.parent_id === null ? [] : [[node.parent_id, node.invocation_id, node.edge_kind]]))
          .sort(),
        more: [],
      };
      expect(expected.nodes).toHaveLength(13);
      const page = await ask(path(LEAF), HTML);
      const partial = await ask(path(LEAF), HTMX);
      const script = await ask(path(LEAF), {});
      const bare = await ask(path(LEAF, "?bare=1"), HTML);
      for (const { status, text } of [page, partial, script, bare]) {
        expect(status).toBe(200);
        const { nodes, edges, more } = drawn(parse(text));
        expect({ nodes: nodes.sort(), edges: edges.sort(), more }).toEqual(expected);
      }
      expect([page.text.startsWith("<!doctype html>"), parse(page.text).querySelectorAll("h1").length]).toEqual([
        true,
        1,
      ]);
      expect(parse(page.text).querySelector(`.trail a[href="/invocations/${LEAF}"]`)).not.toBeNull();
      expect([partial.text.includes("<html"), partial.text.includes('id="family"')]).toEqual([false, true]);
      expect(script.text).toBe(partial.text);
      expect([bare.text.startsWith("<svg"), bare.text.endsWith("</svg>")]).toEqual([true, true]);
    });

    it("links every invocation with a readable name, and marks the one asked about", async () => {
      const root = parse((await ask(path(LEAF), HTML)).text);
      for (const node of root.querySelectorAll(".family-node")) {
        const id = node.getAttribute("data-invocation-id") ?? "";
        const link = node.querySelector("a");
        expect(link?.getAttribute("href")).toBe(`/invocations/${id}`);
        expect(link?.textContent).toMatch(
          /^(?:root|branch|leaf)\s+tasks\s.* [0-9a-f]{8}…[0-9a-f]{4} .*(?:success|failed)/,
        );
        expect(link?.querySelector("desc")?.textContent).toMatch(/^(?:(?:root|branch) called it, )?generation [123]$/);
        expect(node.querySelector("title")?.textContent).toContain(id);
      }
      const current = root.querySelectorAll(".family-node a[aria-current]");
      expect(current.map((link) => link.getAttribute("href"))).toEqual([`/invocations/${LEAF}`]);
      expect(root.querySelectorAll("main [style]")).toEqual([]);
    });

    it("is linked from the page of an invocation", async () => {
      const page = parse((await ask(`/invocations/${LEAF}`, HTML)).text);
      expect(page.querySelector(`#card-family a[href="${path(LEAF)}"]`)).not.toBeNull();
    });

    it("has a link for more at each node whose children are left out", async () => {
      const cut = parse((await ask(path(ROOT, "?limit=6"), HTML)).text);
      const json = await monitor().json<FamilyTree>(path(ROOT, "?limit=6"));
      const lacking = json.nodes.filter((node) => node.children_left_out > 0).map((node) => node.invocation_id);
      expect([json.nodes.length, lacking.length, json.truncated]).toEqual([6, 3, true]);
      expect(drawn(cut).more.sort()).toEqual([...lacking].sort());
      const link = cut.querySelector(`[data-more-of="${lacking[0]}"] a`);
      const href = (link?.getAttribute("href") ?? "").replaceAll("&amp;", "&");
      expect(href).toBe(path(ROOT, `?limit=6&expand=${lacking[0]}`));
      expect(link?.hasAttribute("data-in-place")).toBe(true);
      const after = drawn(parse((await ask(href, HTML)).text));
      expect(after.more.sort()).toEqual(lacking.slice(1).sort());
      const all = await monitor().json<FamilyTree>(path(ROOT, `?limit=6&expand=${lacking.join(",")}`));
      expect([all.nodes.length, all.truncated, all.expand]).toEqual([13, false, lacking]);
    });

    it("remembers which nodes were expanded", async () => {
      const page = parse((await ask(path(ROOT, `?expand=${ROOT},${ROOT}`), HTMX)).text);
      expect(page.querySelector("#family")?.getAttribute("data-expand")).toBe(`${ROOT},${ROOT}`);
    });

    it("answers 404 for an unknown id, and 400 for an invalid parameter", async () => {
      for (const init of [HTML, HTMX, { headers: { accept: "application/json" } }]) {
        for (const query of ["", "?bare=1", "?expand=x"]) {
          expect((await monitor().get(path("no-such-id", query), init)).status).toBe(404);
        }
        for (const [query, name] of [
          ["?bare=yes", "bare"],
          ["?limit=0", "limit"],
          ["?depth=x", "depth"],
          ["?color=red", "color"],
          [`?expand=${"x,".repeat(41)}`, "expand"],
        ] as const) {
          const response = await ask(path(ROOT, query), init);
          expect([query, response.status, response.text.includes(name)]).toEqual([query, 400, true]);
        }
      }
    });

    it("answers 304 for an unchanged fragment", async () => {
      const { headers } = await ask(path(LEAF), HTMX);
      const etag = headers.get("etag") ?? "";
      const again = await ask(path(LEAF), { headers: { ...HTMX.headers, "if-none-match": etag } });
      expect([again.status, again.text]).toEqual([304, ""]);
    });
  },
);

describe("the family tree of unusual data", () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { alone: APP });
    return () => monitor.close();
  });

  function plant(id: string, parent: string | null, task = "tasks.planted", status = "success"): void {
    const at = presentOf("kitchen_sink.db") - 1;
    insert(monitor.path, "state_backend_invocations", {
      invocation_id: id,
      call_id_key: `${task}:no_args`,
      task_id_key: task,
      arguments_id: "no_args",
      serialized_arguments: "{}",
      parent_invocation_id: parent,
    });
    insert(monitor.path, "orchestrator_invocations", {
      invocation_id: id,
      task_id_key: task,
      call_id_key: `${task}:no_args`,
      status,
      status_timestamp: at,
      retry_count: 0,
    });
  }

  it("shows hostile names as text, links ids of any spelling, and expands ids with commas", async () => {
    const evil = `a,b/%2F?#"'><script>ran=1</script>\u202e`;
    const child = `javascript:alert(1),"onload=x`;
    plant(evil, null, `x."><img src=x onerror=ran=1>`, `"><script>ran=1</script>`);
    plant(child, evil, "\u202e.\u0007");
    for (const query of ["?limit=1", "", "?bare=1", `?limit=1&expand=${encodeURIComponent(evil)}`]) {
      const response = await monitor.get(path(evil, query), HTML);
      const text = await response.text();
      expect([query, response.status]).toEqual([query, 200]);
      const root = parse(text);
      expect(root.querySelectorAll("svg script, svg img, [onload], [onerror]")).toEqual([]);
      expect(
        root.querySelectorAll("svg a").filter((a) => !a.getAttribute("href")?.startsWith("/invocations/")),
      ).toEqual([]);
      expect(root.textContent).not.toContain("\u202e");
      expect(drawn(root).nodes).toHaveLength(query === "?limit=1" ? 1 : 2);
    }
    const tree = await monitor.json<FamilyTree>(path(evil, `?limit=1&expand=${encodeURIComponent(evil)}`));
    expect(tree.expand).toEqual([evil]);
    const href = parse(await monitor.text(path(evil)))
      .querySelectorAll(".family-node a")[1]
      ?.getAttribute("href");
    expect(decodeURIComponent(href ?? "")).toBe(`/invocations/${child}`);
  });

  it("shows some of many children, counts the rest as far as they were read, and can be expanded", async () => {
    plant("parent", null);
    for (let n = 0; n < 300; n++) plant(`child-${String(n).padStart(3, "0")}`, "parent");
    plant("grandchild", "child-299");
    const tree = await monitor.json<FamilyTree>(path("parent"));
    expect(tree.nodes).toHaveLength(60);
    expect(tree.nodes[0]).toMatchObject({ children_left_out: 142, children_counted: false });
    const more = await monitor.json<FamilyTree>(path("parent", "?expand=parent,parent"));
    expect(more.nodes).toHaveLength(120);
    const all = await monitor.json<FamilyTree>(path("parent", "?limit=302"));
    expect([all.nodes.length, all.truncated]).toEqual([302, false]);
    // Asked about the last of them, the way down to it is there whatever else is left out.
    const last = await monitor.json<FamilyTree>(path("grandchild", "?limit=5"));
    const ids = last.nodes.map((node) => node.invocation_id);
    expect(ids).toEqual(expect.arrayContaining(["parent", "child-299", "grandchild"]));
    const text = await monitor.text(path("parent"));
    expect(text).toContain("142 or more left out");
  });

  it("draws a parent that is gone, without a link", async () => {
    plant("orphan", "gone");
    const root = parse(await monitor.text(path("orphan")));
    expect(drawn(root).nodes).toEqual([
      ["gone", "unknown"],
      ["orphan", "success"],
    ]);
    expect(root.querySelectorAll(".family-node a").map((a) => a.getAttribute("href"))).toEqual(["/invocations/orphan"]);
    expect(root.querySelector("#family")?.textContent).toContain("not stored");
  });

  it("has one node for an invocation without relatives", async () => {
    plant("alone", null);
    expect((await monitor.json<FamilyTree>(path("alone"))).nodes).toHaveLength(1);
    expect(drawn(parse(await monitor.text(path("alone")))).edges).toEqual([]);
  });

  it("has boxes without times when the history was purged", async () => {
    write(monitor.path, "DELETE FROM $state_backend_history");
    const tree = await monitor.json<FamilyTree>(path(LEAF));
    expect(tree.nodes.map((node) => [node.registered_at, node.duration_seconds])).toEqual(Array(13).fill([null, null]));
    expect(drawn(parse(await monitor.text(path(LEAF)))).nodes).toHaveLength(13);
  });
});

describe("the family tree of a layout before events", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink_023.db", "in process", { alone: APP });
  });
  afterAll(() => monitor.close());

  it("has calls as its only edges", async () => {
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?task_id=tasks.root",
    );
    const tree = await monitor.json<FamilyTree>(path(invocations.at(-1)?.invocation_id ?? ""));
    expect(new Set(tree.nodes.slice(1).map((node) => node.edge_kind))).toEqual(new Set(["call"]));
  });
});
