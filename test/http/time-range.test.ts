/** One time range for all pages: chosen in the header, kept in the address, carried by the navigation, with plain links and a form. */
import { type HTMLElement, parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import { createLinks } from "../../src/presentation/links.ts";
import { NAV_ENTRIES } from "../../src/presentation/nav-entries.ts";
import { operations } from "../../src/questions/derived/operations.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";

const OPERATIONS = await operations();

const HTML = { headers: { accept: "text/html" } };
const JSON_ONLY = { headers: { accept: "application/json" } };
const RANGE = "from=2026-11-21T00:34:20&to=2026-11-21T00:34:40";
const links = createLinks(null);

/** Pages whose figures over time follow the range, beside what is of all time or of this moment. Their JSON takes no range. */
const WITH_FIGURES = [
  "GET /tasks/",
  "GET /tasks/:task_id_key",
  "GET /runners/",
  "GET /runners/:runner_id",
  "GET /broker/",
];

/** The operation of a page: of several the one with the fewest parameters in its path. */
function operationOf(pathname: string): string | undefined {
  const parameters = (key: string) => key.split(":").length;
  const fits = (key: string) =>
    new RegExp(`^GET ${key.slice(4).replaceAll(/(\*\*)?:\w+/g, "[^/]+")}$`).test(`GET ${pathname}`);
  const known = Object.keys(OPERATIONS).filter((key) => key.startsWith("GET ") && fits(key));
  return known.sort((a, b) => parameters(a) - parameters(b))[0];
}

describe("the time range", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" }));

  const page = async (path: string): Promise<HTMLElement> => {
    const response = await monitor.get(path, HTML);
    expect([path, response.status]).toEqual([path, 200]);
    return parse(await response.text());
  };
  const hrefs = (root: HTMLElement, selector: string) =>
    root.querySelectorAll(selector).map((link) => link.getAttribute("href")?.replaceAll("&amp;", "&") ?? "");
  const query = (href: string) => new URL(href, "http://127.0.0.1").search.slice(1).replaceAll("%3A", ":");
  const control = (root: HTMLElement) => root.querySelector("#time-range summary")?.text ?? "";

  it("is carried through every page of the navigation", async () => {
    const seen: string[] = [];
    for (const { link } of NAV_ENTRIES) {
      const path = links[link]();
      const root = await page(`${path}?${RANGE}`);
      const kept = [...hrefs(root, "a.nav-link"), ...hrefs(root, "a.brand")];
      expect(kept).toHaveLength(NAV_ENTRIES.length + 1);
      expect([path, [...new Set(kept.map(query))]]).toEqual([path, [RANGE]]);
      const find = root.querySelectorAll("form.go-to input[type=hidden]").map((field) => field.getAttribute("value"));
      expect(find).toEqual(["2026-11-21T00:34:20", "2026-11-21T00:34:40"]);
      seen.push(path);
    }
    expect(seen).toContain("/tasks/");
  });

  it("is shown in the header of exactly those pages whose address has its parameters or that have figures over time, and an instant of those that can show one", async () => {
    const told: [string, boolean][] = [];
    const expected: [string, boolean][] = [];
    const instants: [string, boolean, boolean][] = [];
    for (const { path, status = 200 } of await pagesOf(monitor)) {
      const key = operationOf(new URL(path, "http://monitor").pathname);
      // The form of an action takes the range of a selection, but has no control for it.
      if (status !== 200 || key === undefined || key === "GET /invocations/rerun") continue;
      const shown = await page(path);
      told.push([key, shown.querySelector("#time-from") !== null]);
      const then = await monitor.get(`${path}${path.includes("?") ? "&" : "?"}at=2026-11-21T00:34:40`, HTML);
      // A thing that was not there yet has no page of then.
      if (then.status === 200) {
        const note = parse(await then.text()).querySelector(".as-of p")?.text ?? "";
        instants.push([key, shown.querySelector("#time-at") !== null, !note.includes("present")]);
      }
      expected.push([key, "range" in (OPERATIONS[key]?.query.shape ?? {}) || WITH_FIGURES.includes(key)]);
    }
    expect(told).toEqual(expected);
    expect(instants.filter(([, offered, shows]) => offered !== shows)).toEqual([]);
    expect(instants.filter(([, offered]) => offered).length).toBeGreaterThan(5);
    expect(new Set(expected.filter(([, timed]) => timed).map(([key]) => key)).size).toBeGreaterThanOrEqual(6);
    expect(expected.filter(([, timed]) => !timed).length).toBeGreaterThan(10);
  });

  it("restricts the pages that have one, and says there what it restricts", async () => {
    const whole = await monitor.json<InvocationList>("/invocations/?limit=1000");
    const part = await monitor.json<InvocationList>(`/invocations/?limit=1000&${RANGE}`);
    expect(part.invocations.length).toBeGreaterThan(0);
    expect(part.invocations.length).toBeLessThan(whole.invocations.length);
    for (const path of ["/invocations/", "/invocations/timeline", "/events/", "/trigger-runs/"]) {
      const root = await page(`${path}?${RANGE}`);
      expect([path, control(root)]).toEqual([path, "Time00:34:20 to 00:34:40"]);
      const fields = ["#time-from", "#time-to"].map((id) => root.querySelector(id)?.getAttribute("value"));
      expect([path, ...fields]).toEqual([path, "2026-11-21 00:34:20", "2026-11-21 00:34:40"]);
    }
    // Statistics count whole minutes.
    for (const path of ["/stats/", "/failures/"])
      expect([path, control(await page(`${path}?${RANGE}`))]).toEqual([path, "Time00:34 to 00:35"]);
    expect(control(await page("/invocations/"))).toBe("TimeAll time");
    const hour = await page("/invocations/?range=1h&status=failed");
    expect(control(hour)).toBe("TimeLast hour");
    expect(hour.querySelector("#time-range [aria-current]")?.text).toBe("Last hour");
    // What is shown stands in the fields, also where a length of time was chosen.
    expect(hour.querySelector("#time-from")?.getAttribute("value")).toMatch(/^2026-11-2\d \d\d:\d\d:\d\d/);
    const kept = hour
      .querySelectorAll(".time-form")
      .map((form) => form.querySelectorAll("input[type=hidden]").map((field) => field.getAttribute("name")));
    expect(kept).toEqual([["range", "status"], ["status"]]);
    expect(
      await page("/broker/").then((root) => root.querySelectorAll(".time-form input").map((field) => field.id)),
    ).toEqual(["time-at", "time-from", "time-to"]);
    expect(hrefs(hour, ".time-presets a")).toContain("/invocations/?range=5m&status=failed");
    expect(hrefs(hour, ".time-presets a")).toContain("/invocations/?status=failed");
    // Without a range, these pages show their own.
    for (const path of ["/failures/", "/stats/", "/failures/?range=3h", `/stats/?${RANGE}`])
      expect([path, (await page(path)).querySelector(".time-presets")?.text]).toEqual([
        path,
        expect.not.stringContaining("All time"),
      ]);
  });

  it("is on every page of the navigation, and says on one that takes no range and no instant why it is disabled", async () => {
    for (const { link } of NAV_ENTRIES) {
      const path = links[link]();
      const menu = (await page(path)).querySelector("#time-range");
      const told =
        menu?.tagName === "BUTTON" ? [menu.text, menu.hasAttribute("disabled"), menu.getAttribute("title")] : [];
      const none = ["TimeNow", true, "This page takes no range of time: it shows what is stored now"];
      expect([path, menu === null || menu === undefined, told]).toEqual([
        path,
        false,
        menu?.tagName === "BUTTON" ? none : [],
      ]);
    }
    const then = await page("/?at=2026-11-21T00:34:40");
    expect(control(then)).toBe("TimeThen");
    expect(then.querySelector("#time-at")?.getAttribute("value")).toBe("2026-11-21 00:34:40");
  });

  it("offers the default of the page as the way back from a choice", async () => {
    const own = async (path: string) => {
      const root = await page(path);
      const last = root.querySelectorAll(".time-presets a").at(-1);
      return [last?.text, last?.getAttribute("href"), last?.getAttribute("aria-current")];
    };
    expect(await own("/?range=3h")).toEqual(["Default of this page", "/", undefined]);
    expect(await own("/tasks/")).toEqual(["Default of this page", "/tasks/", "true"]);
    expect(await own("/invocations/?range=3h")).toEqual(["All time", "/invocations/", undefined]);
    expect(await own("/invocations/")).toEqual(["All time", "/invocations/", "true"]);
    expect(await own("/invocations/timeline")).toEqual(["Default of this page", "/invocations/timeline", "true"]);
  });

  it("goes with a link to a thing and with the figures that lead to a list, and stays what it was without a choice", async () => {
    const [chosen, plain] = [await page("/?range=1w"), await page("/")];
    expect(
      hrefs(chosen, "#main a.figure")
        .filter((href) => /^.(failures|stats)/.test(href))
        .map(query),
    ).toEqual(["range=1w", "range=1w", "range=1w&sort=wait"]);
    expect(
      hrefs(plain, "#main a.figure")
        .filter((href) => /^.(failures|stats)/.test(href))
        .map(query),
    ).toEqual(["", "", "sort=wait"]);
    expect(
      hrefs(await page("/tasks/?range=1w"), "#main tbody a").filter((href) => href.startsWith("/tasks/t")),
    ).toEqual(expect.arrayContaining(["/tasks/tasks.add?range=1w"]));
    const list = await page("/invocations/?range=1w&limit=5");
    expect(new Set(hrefs(list, "#main tbody a[href^='/invocations/']").map(query))).toEqual(new Set(["range=1w"]));
    // What a refresh draws has the same links.
    const refresh = (await page("/workflows/?range=1w")).querySelector("[data-live]")?.getAttribute("data-live");
    expect(query(refresh ?? "")).toBe("range=1w");
  });

  it("is prefilled with the drawn window where the timeline chose it", async () => {
    const root = await page("/invocations/timeline");
    expect(root.querySelector("#time-from")?.getAttribute("value")).not.toBe("");
    expect(root.querySelector("#time-to")?.getAttribute("value")).not.toBe("");
    expect(hrefs(root, "a.nav-link").map(query)).toEqual(NAV_ENTRIES.map(() => ""));
  });

  it("restricts no page without one, whose header has no control for it, and is refused there as JSON", async () => {
    const [plain, kept] = [await page("/workflows/"), await page(`/workflows/?${RANGE}`)];
    expect(kept.querySelectorAll("#main tbody tr").length).toBe(plain.querySelectorAll("#main tbody tr").length);
    expect(kept.querySelector("#time-from")).toBeNull();
    expect(hrefs(kept, "a.nav-link").every((href) => href.includes("from="))).toBe(true);
    const refused = await monitor.get(`/tasks/?${RANGE}`, JSON_ONLY);
    expect(refused.status).toBe(400);
    expect((await monitor.get("/tasks/?range=never", HTML)).status).toBe(200);
    expect(hrefs(await page("/tasks/?range=never"), "a.nav-link").map(query)).toEqual(NAV_ENTRIES.map(() => ""));
    expect((await monitor.get("/invocations/?range=never", HTML)).status).toBe(400);
  });

  it("restricts the figures of tasks, of one task, of a runner and of queues, but not what is listed of all time", async () => {
    const [plain, kept] = [await page("/tasks/"), await page(`/tasks/?${RANGE}`)];
    expect(kept.querySelectorAll("#main tbody tr").length).toBe(plain.querySelectorAll("#main tbody tr").length);
    expect(kept.querySelectorAll(".filter-form input[type=hidden]").length).toBe(2);
    expect(kept.text).toContain("Finished: 00:34 to 00:35 · all else: all time");
    const runner = (await monitor.json<RunnerList>("/runners/?show=all")).runners[0]?.runner_id ?? "";
    for (const path of ["/tasks/tasks.add", links.runner(runner), "/broker/"]) {
      const titles = (await page(`${path}?range=1w`)).querySelectorAll("h2").map(({ text }) => text);
      expect([path, titles]).toEqual([path, expect.arrayContaining(["Last 7 days"])]);
    }
  });

  it("stays in the address through a redirect", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1");
    const id = invocations[0]?.invocation_id ?? "";
    for (const path of [`/search?q=${id.slice(0, 10)}&range=1h`, `/invocations/${id.slice(0, 10)}?range=1h`]) {
      const response = await monitor.get(path, HTML);
      expect([response.status, response.headers.get("location")]).toEqual([303, `${links.invocation(id)}?range=1h`]);
    }
  });
});
