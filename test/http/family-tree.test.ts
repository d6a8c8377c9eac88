/** The family tree as page, partial, picture and JSON, on real data and on data that means harm. */
import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import { insert, write } from "../browser/store.ts";
import { presentOf } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const ROOT = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const LEAF = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";
const HTML = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const HTMX = { headers: { accept: "text/html", "hx-request": "true" } };
const path = (id: string, query = "") => `/invocations/${encodeURIComponent(id)}/family-tree${query}`;

/** Rows and what is left out, as the picture has them. */
function drawn(root: HTMLElement) {
  const of = (selector: string, name: string) => root.querySelectorAll(selector).map((one) => one.getAttribute(name));
  return { rows: of(".family-row", "data-id"), more: of("[data-more-of]", "data-more-of") };
}

describeWithMonitor(
  "the family tree",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const ask = async (target: string, init: RequestInit) => {
      const response = await monitor().get(target, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    };

    it("has the same rows as a page, as a fragment for scripts and as a bare picture", async () => {
      const { rows } = await monitor().json<FamilyPicture>(path(LEAF));
      const expected = { rows: rows.map((row) => row.id), more: [] };
      expect(rows).toHaveLength(13);
      const page = await ask(path(LEAF), HTML);
      const partial = await ask(path(LEAF), HTMX);
      const script = await ask(path(LEAF), {});
      const bare = await ask(path(LEAF, "?bare=1"), HTML);
      for (const { status, text } of [page, partial, script, bare]) {
        expect(status).toBe(200);
        expect(drawn(parse(text))).toEqual(expected);
      }
      expect([page.text.startsWith("<!doctype html>"), parse(page.text).querySelectorAll("h1").length]).toEqual([
        true,
        1,
      ]);
      expect(parse(page.text).querySelector(`.trail a[href="/invocations/${LEAF}"]`)).not.toBeNull();
      expect([partial.text.includes("<html"), partial.text.includes('id="family"')]).toEqual([false, true]);
      expect(script.text).toBe(partial.text);
      expect(bare.text).toMatch(/^<figure id="family">.*<svg.*<\/figure>$/s);
    });

    it("names every invocation below what called it, and marks the one asked about", async () => {
      const root = parse((await ask(path(LEAF), HTML)).text);
      const names = root.querySelectorAll(".family-name .lane-name").map((name) => name.textContent.trim());
      expect(names.map((name) => name.replace(/^✕ /, ""))).toEqual([
        "root",
        ...Array.from({ length: 3 }, () => ["branch", "leaf", "leaf", "leaf"]).flat(),
      ]);
      expect(root.querySelectorAll(".family-focus-name").map((one) => one.getAttribute("id"))).toEqual([
        `family-${LEAF}`,
      ]);
      const titles = root.querySelectorAll(".family-name title").map((title) => title.textContent.split("\n")[1]);
      expect(titles.slice(1).every((words) => /^(?:success|failed), called$/.test(words ?? ""))).toBe(true);
    });

    it("has a link for more at each invocation where something that it led to is left out", async () => {
      const cut = parse((await ask(path(ROOT, "?limit=6"), HTML)).text);
      const json = await monitor().json<FamilyPicture>(path(ROOT, "?limit=6"));
      const lacking = json.rows.filter((row) => row.effects_left_out > 0).map((row) => row.id);
      const members = json.rows.filter((row) => !row.awaited);
      expect([members.length, lacking.length, json.truncated]).toEqual([6, 3, true]);
      expect(drawn(cut).more.sort()).toEqual([...lacking].sort());
      const more = cut.querySelector(`[data-more-of="${lacking[0]}"] a`);
      const href = (more?.getAttribute("href") ?? "").replaceAll("&amp;", "&");
      expect(href).toBe(`/trace/${ROOT}?limit=6&expand=${lacking[0]}#family-${lacking[0]}`);
      const after = drawn(parse((await ask(href, HTML)).text));
      expect(after.more.sort()).toEqual(lacking.slice(1).sort());
      const all = await monitor().json<FamilyPicture>(path(ROOT, `?limit=6&expand=${lacking.join(",")}`));
      expect([all.rows.length, all.truncated, all.expand]).toEqual([13, false, lacking]);
    });

    it("answers 404 for an unknown id, and 400 for an invalid parameter", async () => {
      for (const init of [HTML, HTMX, { headers: { accept: "application/json" } }]) {
        for (const query of ["", "?bare=1", "?expand=x"]) {
          expect((await monitor().get(path("no-such-id", query), init)).status).toBe(404);
        }
        for (const [query, name] of [
          ["?bare=yes", "bare"],
          ["?limit=0", "limit"],
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
      const elsewhere = root
        .querySelectorAll("svg a")
        .filter((a) => !/^\/(?:invocations|trace)\//.test(a.getAttribute("href") ?? ""));
      expect(elsewhere).toEqual([]);
      expect(root.textContent).not.toContain("\u202e");
      expect(drawn(root).rows).toHaveLength(query === "?limit=1" ? 1 : 2);
    }
    const family = await monitor.json<FamilyPicture>(path(evil, `?limit=1&expand=${encodeURIComponent(evil)}`));
    expect(family.expand).toEqual([evil]);
    const href = parse(await monitor.text(path(evil)))
      .querySelectorAll(".family-name a")[1]
      ?.getAttribute("href");
    expect(decodeURIComponent(href ?? "")).toBe(`/invocations/${child}`);
  });

  it("shows some of many children, counts the rest as far as they were read, and can be expanded", async () => {
    plant("parent", null);
    for (let n = 0; n < 300; n++) plant(`child-${String(n).padStart(3, "0")}`, "parent");
    plant("grandchild", "child-299");
    const family = await monitor.json<FamilyPicture>(path("parent", "?limit=60"));
    expect(family.rows).toHaveLength(60);
    expect(family.rows[0]).toMatchObject({ effects_left_out: 142, effects_counted: false });
    expect(await monitor.text(path("parent", "?limit=60"))).toContain("Load more: 142 or more left out");
    const more = await monitor.json<FamilyPicture>(path("parent", "?limit=60&expand=parent,parent"));
    expect(more.rows).toHaveLength(160);
    const all = await monitor.json<FamilyPicture>(path("parent", "?limit=302"));
    expect([all.rows.length, all.truncated]).toEqual([302, false]);
    // Asked about the last of them, the way down to it is there whatever else is left out.
    const last = await monitor.json<FamilyPicture>(path("grandchild", "?limit=6"));
    expect(last.rows.map((row) => row.id)).toEqual(expect.arrayContaining(["parent", "child-299", "grandchild"]));
  });

  it("draws a parent that is gone, without a link", async () => {
    plant("orphan", "gone");
    const root = parse(await monitor.text(path("orphan")));
    expect(drawn(root).rows).toEqual(["gone", "orphan"]);
    const links = root.querySelectorAll(".family-name a").map((a) => a.getAttribute("href"));
    expect(links).toEqual(["/invocations/orphan"]);
    expect(root.querySelector("#family")?.textContent).toContain("not stored");
  });

  it("has names without times when the history was purged", async () => {
    write(monitor.path, "DELETE FROM $state_backend_history");
    const { rows, from } = await monitor.json<FamilyPicture>(path(LEAF));
    expect([from, rows.length, rows.flatMap((row) => row.stretches)]).toEqual([null, 13, []]);
    const root = parse(await monitor.text(path(LEAF)));
    expect(root.querySelectorAll(".family-name a")).toHaveLength(13);
    expect(root.querySelectorAll(".family-picture .tick")).toEqual([]);
  });
});

describe("the family tree of a layout before events", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink_023.db", "in process", { alone: APP });
  });
  afterAll(() => monitor.close());

  it("has calls as its only steps", async () => {
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?task_id=tasks.root",
    );
    const { rows } = await monitor.json<FamilyPicture>(path(invocations.at(-1)?.invocation_id ?? ""));
    expect(new Set(rows.slice(1).flatMap((row) => row.by))).toEqual(new Set(["call"]));
  });
});
