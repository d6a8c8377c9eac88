/** The columns of lists: chosen by the address, kept by a cookie for that list alone. */
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { Column } from "../../src/presentation/facts/column.ts";
import { EVENT_COLUMNS } from "../../src/presentation/facts/event.ts";
import { INVOCATION_COLUMNS } from "../../src/presentation/facts/invocation.ts";
import { RUNNER_COLUMNS } from "../../src/presentation/facts/runner.ts";
import { TASK_COLUMNS } from "../../src/presentation/facts/task.ts";
import { TRIGGER_RUN_COLUMNS } from "../../src/presentation/facts/trigger-run.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const LISTS: readonly [
  path: string,
  columns: readonly Pick<Column<never>, "of" | "label" | "id">[],
  refresh: string,
][] = [
  ["/invocations/", INVOCATION_COLUMNS, "/invocations/table"],
  ["/events/", EVENT_COLUMNS, "/events/"],
  ["/trigger-runs/", TRIGGER_RUN_COLUMNS, "/trigger-runs/"],
  ["/tasks/", TASK_COLUMNS, "/tasks/refresh"],
  ["/runners/?show=all", RUNNER_COLUMNS, "/runners/refresh?show=all"],
];

describe("the columns of a list", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" }));

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await monitor.get(path, { headers: { accept: "text/html", ...headers } });
    return { status: response.status, cookie: response.headers.get("set-cookie"), page: await response.text() };
  };
  const heads = (page: string) => {
    const table = parse(page).querySelectorAll("table")[0];
    return table?.querySelectorAll("thead th").map((head) => head.text);
  };
  const boxes = (page: string) => {
    const all = parse(page).querySelectorAll(".columns-list input");
    const fields = (some: typeof all) => some.map((box) => box.getAttribute("value"));
    return { all: fields(all), checked: fields(all.filter((box) => box.hasAttribute("checked"))) };
  };
  const withFields = (path: string, fields: string) => `${path}${path.includes("?") ? "&" : "?"}fields=${fields}`;

  describe.each(LISTS)("%s", (path, columns, refresh) => {
    const [[first, name] = ["", ""], ...others] = columns.map(({ of: [field], label }) => [field, label] as const);
    const bare = path.replace(/\?.*/, "");
    /** The heads of a table with these columns besides the naming one, which is the last if it is an id. */
    const inOrder = (labels: readonly (string | undefined)[]) =>
      columns[0]?.id ? [...labels, name] : [name, ...labels];

    it("offers all columns of the table, with the shown ones ticked", async () => {
      const { page, cookie } = await ask(path);
      const { all, checked } = boxes(page);
      expect(all).toEqual(others.map(([field]) => field));
      const labels = others.flatMap(([field, label]) => (checked.includes(field) ? [label] : []));
      expect(heads(page)).toEqual(inOrder(labels));
      expect(cookie).toBeNull();
    });

    it.each(others)("shows %s alone", async (field, label) => {
      const { status, page } = await ask(withFields(path, `${first}&fields=${field}`));
      expect([status, heads(page), boxes(page).checked]).toEqual([200, inOrder([label]), [field]]);
    });

    it("remembers the choice for its own path until the usual columns are chosen", async () => {
      const [field, label] = others.at(-1) ?? [];
      const { cookie } = await ask(withFields(path, `${field}`));
      expect(cookie).toBe(`pynenc-monitor-columns=${field}; Path=${bare}; Max-Age=31536000; SameSite=Lax; HttpOnly`);
      const kept = { cookie: cookie?.split(";")[0] ?? "" };
      const [usual, next, refreshed] = await Promise.all([ask(path), ask(path, kept), ask(refresh, kept)]);
      expect([heads(next.page), heads(refreshed.page)]).toEqual([inOrder([label]), inOrder([label])]);
      expect(next.page).toContain('<span class="mark">chosen</span>');
      const back = await ask(withFields(path, "usual"), kept);
      expect([heads(back.page), back.cookie]).toEqual([heads(usual.page), expect.stringContaining("Max-Age=0;")]);
    });

    it("refuses an unknown column in the address, and ignores one in the cookie", async () => {
      const [field = "", label] = others[0] ?? [];
      const refused = await ask(withFields(path, `${field}x`));
      expect([refused.status, refused.cookie]).toEqual([400, null]);
      expect(parse(refused.page).text).toContain(`did you mean ${field}?`);
      const forged = { cookie: `other=1; pynenc-monitor-columns=nonsense.${field}.__proto__` };
      expect(heads((await ask(path, forged)).page)).toEqual(inOrder([label]));
    });

    it("has all fields as JSON, whatever columns are chosen", async () => {
      const [plain, chosen] = await Promise.all(
        [path, withFields(path, first)].map(async (one) => {
          const response = await monitor.get(one, { headers: { accept: "application/json" } });
          return [response.status, response.headers.get("set-cookie"), await response.json()];
        }),
      );
      expect(plain?.slice(0, 2)).toEqual([200, null]);
      expect(chosen).toEqual(plain);
    });

    it("keeps the other parameters of the address in the form", async () => {
      const { page } = await ask(withFields(`${bare}?app=kitchen_sink`, "usual"));
      const form = parse(page).querySelector(".columns-menu form");
      expect(form?.getAttribute("action")).toBe(bare);
      const hidden = form
        ?.querySelectorAll("[type=hidden]")
        .map((one) => [one.getAttribute("name"), one.getAttribute("value")]);
      expect(hidden).toEqual([
        ["app", "kitchen_sink"],
        ["fields", first],
      ]);
    });
  });
});
