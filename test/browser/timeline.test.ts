/** The timeline in a browser: going nearer and back, what lights up, and the panel of what is selected. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import { age } from "../../src/presentation/age.ts";
import { presentOf } from "../support/fixtures.ts";
import { monitorOf, sharedMonitor, testMonitor } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING, LAYOUT } from "./axe.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, insert, moveTo } from "./store.ts";

const WIDE = { viewport: { width: 1440, height: 1000 } };
const START = "2026-11-21T00:34:50.000000";
const END = "2026-11-21T00:35:10.000000";
const WINDOW = `/invocations/timeline?start_date=${START}&end_date=${END}&open=*`;
const PLOT = "#card-timeline .timeline-plot";

interface Shown {
  start: string | null;
  end: string | null;
  query: Record<string, string>;
  entries: number;
}

/** What is drawn and what the address says. */
async function shown(page: Page): Promise<Shown> {
  return page.evaluate((plot) => {
    const data = document.querySelector<SVGElement>(plot)?.dataset;
    return {
      start: data?.start ?? null,
      end: data?.end ?? null,
      query: Object.fromEntries(new URL(location.href).searchParams),
      entries: history.length,
    };
  }, PLOT);
}

/** Waits until the drawing is that of the address, which must have changed, and no further step is on its way. */
async function arrival(page: Page, from: string): Promise<Shown> {
  await page.waitForURL((url) => url.href !== from);
  await page.waitForFunction(() => document.querySelector("#main[aria-busy], .timeline.moving") === null);
  return shown(page);
}

async function place(page: Page, across: number, down = 120): Promise<[number, number]> {
  const box = await page.locator(PLOT).boundingBox();
  if (box === null) throw new Error("no plot");
  return [box.x + box.width * across, box.y + down];
}

async function drag(page: Page, from: number, to: number): Promise<void> {
  await page.mouse.move(...(await place(page, from)));
  await page.mouse.down();
  await page.mouse.move(...(await place(page, (from + to) / 2)));
  await page.mouse.move(...(await place(page, to)));
}

const at = (naive: string | null) => Date.parse(`${naive}Z`);
const length = ({ start, end }: Shown) => at(end) - at(start);

describeInBrowser("the timeline", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it("begins near the top of the page, keeps its time axis in view, and has room for lanes on a phone", async () => {
    const { page } = await open(monitor, { viewport: { width: 1280, height: 700 } });
    await page.goto(WINDOW);
    const top = (selector: string) =>
      page.evaluate((found) => document.querySelector(found)?.getBoundingClientRect().top ?? Number.NaN, selector);
    const lane = `${PLOT} .lanes > .lane`;
    expect(await top(lane)).toBeLessThanOrEqual(260);
    // The lanes begin where the axis and the chart under it end.
    const axis = () => page.locator(".axis-plot").boundingBox();
    const head = await page.locator(".timeline-head").boundingBox();
    expect((head?.y ?? 0) + (head?.height ?? 0)).toBeCloseTo(await top(lane), 0);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    expect(await top(lane)).toBeLessThan(0);
    const stuck = await axis();
    expect(stuck?.y).toBeGreaterThan(0);
    expect((stuck?.y ?? 0) + (stuck?.height ?? 0)).toBeLessThan(260);

    await page.setViewportSize({ width: 400, height: 800 });
    const [plot, labels] = await Promise.all(
      [PLOT, "#card-timeline .timeline-labels"].map((one) => page.locator(one).boundingBox()),
    );
    expect(plot?.width).toBeGreaterThan(260);
    expect(labels?.width).toBeLessThan(110);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });

  it("goes to an instant by its slider, also by keyboard, and back", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const slider = page.locator(".time-slider input[type=range]");
    const marks = () => page.locator(`${PLOT} [data-invocation-id]`).count();
    const all = await marks();
    const here = await page.locator(PLOT).boundingBox();
    const before = page.url();
    // The middle of the thumb stands at the instant: a click in the middle of the plot is the middle of the window.
    const box = await slider.boundingBox();
    await page.mouse.click((here?.x ?? 0) + (here?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    const then = await arrival(page, before);
    expect(Math.abs(Number(then.query.at) - at(START) / 1000 - 10)).toBeLessThan(0.1);
    expect([then.start, then.end]).toEqual([START, END]);
    expect(await page.locator(".as-of").textContent()).toMatch(/As of 2026-11-21 00:3(4:59.9|5:00.0)/);
    expect(await marks()).toBeLessThan(all);
    // The line of the present stands there too.
    const line = await page.locator(`${PLOT} .now`).boundingBox();
    expect(Math.abs((line?.x ?? 0) - (here?.x ?? 0) - (here?.width ?? 0) / 2)).toBeLessThan(6);

    // Its arrows are its own: the window stays.
    await slider.focus();
    const middle = page.url();
    await page.keyboard.press("ArrowLeft");
    const earlier = await arrival(page, middle);
    expect(Number(earlier.query.at)).toBeLessThan(Number(then.query.at));
    expect(earlier.start).toBe(START);
    const left = page.url();
    await page.keyboard.press("End");
    const present = await arrival(page, left);
    expect([present.query.at, present.start, await marks()]).toEqual([undefined, START, all]);
    await page.goBack();
    await page.waitForURL(left);
    await page.locator(".as-of").waitFor();
    expect(Number(await slider.inputValue())).toBeCloseTo(Number(earlier.query.at), 2);
    expect(problems).toEqual([]);
  });

  it("shows the whole handle of the slider at the present, and in the past keeps the instant in every way on", async () => {
    for (const width of [1440, 390, 320]) {
      const { page, problems } = await open(monitor, { viewport: { width, height: 900 } });
      await page.goto(WINDOW);
      const track = await page.locator(".time-slider input[type=range]").boundingBox();
      // The thumb is as wide as the track is wider than the plot, and stands at its right end.
      expect((track?.x ?? 0) + (track?.width ?? 0)).toBeLessThanOrEqual(width);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await page.locator(".time-slider input[type=range]").focus();
      const before = page.url();
      await page.keyboard.press("ArrowLeft");
      const { query } = await arrival(page, before);
      expect(query.at).toBeDefined();
      for (const link of await page.locator("a.brand, a.nav-link").all()) {
        expect(new URL((await link.getAttribute("href")) ?? "", page.url()).searchParams.has("at")).toBe(true);
      }
      expect(await page.locator('.go-to input[name="at"]').count()).toBe(1);
      const past = page.url();
      await page.locator(".as-of a.primary").click();
      await page.waitForURL((url) => url.href !== past);
      expect([new URL(page.url()).searchParams.has("at"), await page.locator(".as-of").count()]).toEqual([false, 0]);
      expect(problems).toEqual([]);
    }
  });

  it("has its slider end at the present where the window ends later, and the line stays under the handle while it moves", async () => {
    const { page, problems } = await open(monitor, WIDE);
    const present = presentOf("kitchen_sink.db") * 1000;
    const iso = (seconds: number) => new Date(present + seconds * 1000).toISOString().slice(0, -1);
    await page.goto(`/invocations/timeline?start_date=${iso(-60)}&end_date=${iso(60)}`);
    const slider = page.locator(".time-slider input[type=range]");
    const plotted = await page.locator(PLOT).boundingBox();
    const track = await slider.boundingBox();
    const middle = (plotted?.x ?? 0) + (plotted?.width ?? 0) / 2;
    expect(Math.abs((track?.x ?? 0) + (track?.width ?? 0) - middle)).toBeLessThan(14);
    expect(await slider.evaluate((one: HTMLInputElement) => one.value === one.max)).toBe(true);
    await slider.evaluate((one: HTMLInputElement) => {
      one.value = String((Number(one.min) + Number(one.max)) / 2);
      one.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const line = await page.locator(`${PLOT} .crosshair line`).boundingBox();
    expect(Math.abs((line?.x ?? 0) - (plotted?.x ?? 0) - (plotted?.width ?? 0) / 4)).toBeLessThan(6);
    expect(problems).toEqual([]);
  });

  it("counts ages in the past from its instant, and on pages that show the present from now", async () => {
    const { page } = await open(monitor, WIDE);
    const first = page.locator("main time[data-relative]").first();
    const then = "2026-11-21T00:35:05";
    await page.goto(`/invocations/?at=${then}`);
    const seconds = (Date.parse(`${then}Z`) - Date.parse((await first.getAttribute("datetime")) ?? "")) / 1000;
    expect(await first.textContent()).toBe(age(seconds));
    await page.goto(`/orchestrator/?at=${then}`);
    const since = presentOf("kitchen_sink.db") * 1000 - Date.parse((await first.getAttribute("datetime")) ?? "");
    expect(await first.textContent()).toBe(age(since / 1000));
  });

  it("passes axe in the past in both themes, on pages that follow and on one that does not", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1440, 320]) {
        const { page } = await open(monitor, { viewport: { width, height: 900 }, colorScheme });
        for (const path of [`${WINDOW}&`, "/?", "/broker/?", "/invocations/?", "/runners/?", "/tasks/?"]) {
          await page.goto(`${path}at=2026-11-21T00:35:05`);
          const found = await new Axe().examine(page, width === 1440 ? EVERYTHING : LAYOUT);
          expect([path, colorScheme, width, found]).toEqual([path, colorScheme, width, []]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      }
    }
  });

  it("keeps what was clicked in sight beside the panel, which begins with what went wrong", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const data = await monitor.json<Timeline>(WINDOW);
    const failed = data.invocations.filter(({ entries }) => entries.at(-1)?.status === "failed");
    const places = await Promise.all(
      failed.map(async ({ invocation_id }) => {
        const mark = page.locator(`${PLOT} .strand[data-invocation-id="${invocation_id}"]`).first();
        return { mark, box: (await mark.count()) === 0 ? null : await mark.boundingBox() };
      }),
    );
    // The one furthest to the right.
    const [last] = places.sort((a, b) => (b.box?.x ?? 0) - (a.box?.x ?? 0));
    await last?.mark.click();
    await page.waitForSelector("#timeline-panel .panel");
    const panel = await page.locator("#timeline-panel").boundingBox();
    const plot = await page.locator(PLOT).boundingBox();
    expect((plot?.x ?? 0) + (plot?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0);
    const parts = await page
      .locator("#timeline-panel .panel > *")
      .evaluateAll((all) => all.map((one) => one.className));
    expect(parts.findIndex((name) => name.includes("notice-error"))).toBe(2);
    expect(parts.findIndex((name) => name.includes("actions"))).toBeGreaterThan(2);
    await page.locator(".panel-close").click();
    const again = await page.locator(PLOT).boundingBox();
    expect(again?.width).toBeGreaterThan((plot?.width ?? 0) + 300);
    expect(problems).toEqual([]);
  });

  it("steps through failures by keys, describes the focused one, and fits what belongs to it", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const focused = () =>
      page.evaluate(() => ({
        id: (document.activeElement as SVGElement | null)?.dataset.invocationId ?? "",
        failed:
          document.activeElement?.querySelector("[data-status=failed], [data-status=killed], [data-outcome=failed]") !=
          null,
      }));
    // As when a part that is loaded behind the page, or a refresh, comes.
    const renewed = () =>
      page.evaluate(() => document.body.dispatchEvent(new CustomEvent("fragment-shown", { bubbles: true })));
    await page.keyboard.press("n");
    await renewed();
    const first = await focused();
    expect(first.failed).toBe(true);
    // Its exception stands beneath what it did.
    const { exception } = (await monitor.json<Timeline>(WINDOW)).invocations.find(
      (one) => one.invocation_id === first.id,
    ) ?? { exception: null };
    expect(exception).not.toBeNull();
    const told = await page.evaluate(() => document.activeElement?.querySelector("title")?.textContent ?? "");
    expect(told).toContain("failed");
    expect(told).toContain(exception?.type);
    await page.keyboard.press("n");
    const second = await focused();
    expect(second.failed).toBe(true);
    expect(second.id).not.toBe(first.id);
    await page.keyboard.press("Shift+N");
    expect(await focused()).toEqual(first);
    const from = page.url();
    await page.keyboard.press("f");
    const near = await arrival(page, from);
    expect(length(near)).toBeLessThan(20_000);
    expect(await page.locator(`.strand[data-invocation-id="${first.id}"]`).count()).toBeGreaterThan(0);
    const before = page.url();
    await page.keyboard.press("d");
    const later = await arrival(page, before);
    expect(at(later.start)).toBeCloseTo(at(near.start) + length(near) / 4, -1);
    const here = page.url();
    await page.keyboard.press("s");
    const wider = await arrival(page, here);
    expect(length(wider)).toBeGreaterThan(length(near));
    expect(problems).toEqual([]);
  });

  it("steps to failures that are counted instead of drawn, too", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(`${WINDOW}&limit=1`);
    const counted = await page.locator(`${PLOT} .slice[data-failed]`).count();
    expect(counted).toBeGreaterThan(0);
    const stops: (string | undefined)[] = [];
    for (let press = 0; press < counted + 2; press++) {
      await page.keyboard.press("n");
      stops.push(
        await page.evaluate(
          () => (document.activeElement?.closest(".slice[data-failed]") as SVGElement)?.dataset.start,
        ),
      );
    }
    expect(new Set(stops.filter((start) => start !== undefined)).size).toBe(counted);
    expect(problems).toEqual([]);
  });

  it("moves by a drag on its axis, takes a range from the load chart, and each is one stop of Tab", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const across = async (selector: string, one: number, other: number) => {
      const box = await page.locator(selector).boundingBox();
      if (box === null) throw new Error(selector);
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * one, y);
      await page.mouse.down();
      await page.mouse.move(box.x + (box.width * (one + other)) / 2, y);
      await page.mouse.move(box.x + box.width * other, y);
      await page.mouse.up();
    };
    let from = page.url();
    await across(".axis-plot", 0.5, 0.25);
    const moved = await arrival(page, from);
    expect(length(moved)).toBeCloseTo(20_000, -2);
    expect(at(moved.start)).toBeCloseTo(at(START) + 5_000, -2);
    from = page.url();
    await page.goBack();
    expect((await arrival(page, from)).start).toBe(START);
    for (const drawing of [PLOT, "#card-timeline .occupancy-plot"]) {
      expect(await page.locator(`${drawing} a:not([tabindex="-1"])`).count()).toBe(1);
    }
    from = page.url();
    await across("#card-timeline .occupancy-plot", 0.25, 0.5);
    const brushed = await arrival(page, from);
    expect(length(brushed)).toBeCloseTo(5_000, -2);
    expect(await page.locator("#time-range summary").innerText()).toContain("00:34:55");
    expect(problems).toEqual([]);
  });

  it("zooms into a dragged range, keeps everything else, and Back returns", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(`${WINDOW}&show_system=0&limit=100&time_range=1h`);
    const from = page.url();
    await page.evaluate(() => {
      document.documentElement.dataset.kept = "yes";
    });
    await drag(page, 0.25, 0.5);
    await page.locator(".zoom-area").waitFor();
    // The instant under the pointer, and how long it is from where the drag began.
    await expect
      .poll(() => page.locator(".crosshair text").textContent(), PATIENCE)
      .toMatch(/^00:3[45]:[05]\d\.\d{3}, 5(\.\d+)? s$/);
    await page.mouse.up();
    const near = await arrival(page, from);
    expect(near.query).toEqual({
      open: "*",
      show_system: "0",
      limit: "100",
      start_date: expect.stringMatching(/^2026-11-21T00:34:5[45]\.\d{3}000$/),
      end_date: expect.stringMatching(/^2026-11-21T00:3(?:4:59|5:00)\.\d{3}000$/),
    });
    expect([near.start, near.end]).toEqual([near.query.start_date, near.query.end_date]);
    expect(Math.abs(length(near) - 5_000)).toBeLessThan(100);
    // The time range of the header, the links of the navigation and the address to renew the drawing are those of the new window too.
    expect(await page.inputValue("#time-from")).toContain(String(near.start).slice(0, 19).replace("T", " "));
    expect(await page.getAttribute("a.nav-link[data-letter=i]", "href")).toContain(
      encodeURIComponent(String(near.start)),
    );
    expect(await page.getAttribute("[data-live]", "data-live")).toContain(encodeURIComponent(String(near.start)));
    await page.goBack();
    await expect.poll(async () => (await shown(page)).start, PATIENCE).toBe(START);
    await page.goForward();
    await expect.poll(async () => (await shown(page)).start, PATIENCE).toBe(near.start);
    expect(await page.evaluate(() => document.documentElement.dataset.kept)).toBe("yes");
    expect(problems).toEqual([]);
  });

  it("takes a short drag for a click, and drops a long one on Escape", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const from = page.url();
    await drag(page, 0.3, 0.303);
    await page.mouse.up();
    await drag(page, 0.3, 0.6);
    await page.keyboard.press("Escape");
    await page.locator(".zoom-area").waitFor({ state: "detached" });
    await page.mouse.up();
    expect(page.url()).toBe(from);
    // A drag beyond the edge ends at it.
    await page.mouse.move(...(await place(page, 0.9)));
    await page.mouse.down();
    const [, y] = await place(page, 0.95);
    await page.mouse.move(1430, y);
    await page.mouse.up();
    expect((await arrival(page, from)).end).toBe(END);
  });

  it("moves and zooms by wheel, drag and keys; repeated steps are one entry of the browser's history", async () => {
    const { page, problems } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    let url = page.url();
    const next = async () => {
      const now = await arrival(page, url);
      url = page.url();
      return now;
    };
    const { entries } = await shown(page);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const right = await next();
    expect([right.start, right.entries]).toEqual(["2026-11-21T00:35:00.000000", entries + 1]);
    await page.keyboard.press("ArrowLeft");
    const left = await next();
    expect([left.start, left.entries]).toEqual(["2026-11-21T00:34:55.000000", entries + 1]);
    await page.keyboard.press("+");
    expect([length(await next()), (await shown(page)).entries]).toEqual([10_000, entries + 2]);
    await page.keyboard.press("-");
    expect(length(await next())).toBe(20_000);

    await page.mouse.move(...(await place(page, 0.75)));
    const before = await shown(page);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    const near = await next();
    expect(length(near)).toBeLessThan(length(before));
    // What was under the pointer still is.
    const under = (window: Shown) => at(window.start) + length(window) * 0.75;
    expect(Math.abs(under(near) - under(before))).toBeLessThan(40);

    await page.mouse.wheel(300, 0);
    const panned = await next();
    expect([length(panned), at(panned.start) > at(near.start)]).toEqual([length(near), true]);
    await page.keyboard.down("Shift");
    await drag(page, 0.6, 0.4);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    expect(at((await next()).start)).toBeGreaterThan(at(panned.start));
    await page.keyboard.press("0");
    const all = await next();
    const { data_span } = await monitor.json<Timeline>("/invocations/timeline");
    expect([
      at(all.start) <= Date.parse(data_span?.first ?? ""),
      at(all.end) >= Date.parse(data_span?.last ?? ""),
    ]).toEqual([true, true]);
    expect(problems).toEqual([]);
  });

  it("zooms into a slice of counted invocations in place, and keeps the selection", async () => {
    const { page, problems } = await open(monitor, WIDE);
    const { invocations } = await monitor.json<Timeline>(WINDOW);
    await page.goto(`${WINDOW}&limit=1`);
    const from = page.url();
    await page.evaluate((id) => {
      document.documentElement.dataset.kept = "yes";
      const url = new URL(location.href);
      url.searchParams.set("selected", id);
      history.replaceState(null, "", url);
    }, invocations[0]?.invocation_id ?? "");
    const slice = page.locator(`${PLOT} .slice`).nth(3);
    const [start, end] = [await slice.getAttribute("data-start"), await slice.getAttribute("data-end")];
    await slice.dispatchEvent("click", { button: 0 });
    await page.waitForURL((url) => url.searchParams.get("start_date") === start);
    const near = await arrival(page, from);
    expect([near.start, near.end, near.query.limit]).toEqual([start, end, "1"]);
    expect(near.query.selected).toBe(invocations[0]?.invocation_id);
    expect(await page.evaluate(() => document.documentElement.dataset.kept)).toBe("yes");
    expect(problems).toEqual([]);
  });

  it("has no shortcuts while text is typed", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const from = page.url();
    await page.locator("#go-to").focus();
    await page.keyboard.type("0+-");
    await page.keyboard.press("ArrowLeft");
    expect([await page.inputValue("#go-to"), page.url()]).toEqual(["0+-", from]);
  });

  it("highlights only an invocation and the marks related to it", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const { trigger_runs } = await monitor.json<Timeline>(WINDOW);
    const run = trigger_runs.find((one) => one.causes.some((cause) => cause.event_id !== null));
    const target = run?.triggered_invocation_id ?? "";
    const mark = page.locator(`${PLOT} [data-invocation-id="${target}"].strand`).first();
    await mark.scrollIntoViewIfNeeded();
    await mark.locator(".bar, .point").first().hover({ force: true });
    await page.waitForSelector(".timeline.tracing");
    expect(await litWrongly(page, { invocation: target })).toEqual([]);
    const event = run?.causes[0]?.event_id ?? "";
    await page.locator(`[data-event-id="${event}"] path`).first().hover({ force: true });
    await page.waitForFunction((id) => document.querySelector(`[data-event-id="${id}"].related`) !== null, event);
    expect(await litWrongly(page, { event })).toEqual([]);
    await page.mouse.move(5, 5);
    await page.waitForSelector(".timeline:not(.tracing)");
    await expect.poll(() => page.locator(".related").count(), PATIENCE).toBe(0);
  });

  it("hides lines between runners when there are many, but not those of the invocation under the pointer or selected", async () => {
    const { page } = await open(monitor, WIDE);
    const many = "/invocations/timeline?start_date=2026-11-21T00:34:35&end_date=2026-11-21T00:35:10&open=*&limit=700";
    await page.goto(many);
    const lines = page.locator(`${PLOT} .transition`);
    expect(await lines.count()).toBeGreaterThan(100);
    const drawn = () =>
      lines.evaluateAll((all) => [
        ...new Set(all.filter((one) => one.checkVisibility()).map((one) => (one as SVGElement).dataset.invocationId)),
      ]);
    expect(await drawn()).toEqual([]);
    const id = (await lines.first().getAttribute("data-invocation-id")) ?? "";
    // Marks lie over each other here.
    const mark = page.locator(`${PLOT} .strand[data-invocation-id="${id}"]`).first();
    await mark.dispatchEvent("pointerover", { pointerType: "mouse" });
    await expect.poll(drawn, PATIENCE).toContain(id);
    const pointed = await drawn();
    expect(await page.locator(`${PLOT} .transition:not(.related)`).count()).toBeGreaterThan(0);
    expect(await litWrongly(page, { invocation: id })).toEqual([]);
    await page.goto(`${many}&selected=${id}`);
    await expect.poll(drawn, PATIENCE).toEqual(pointed);
  });

  it("highlights a service run with its lane, and a lane with its marks", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const service = page.locator(`${PLOT} .service`).first();
    const runner = await service.getAttribute("data-runner-id");
    await service.scrollIntoViewIfNeeded();
    await service.hover({ force: true });
    await page.waitForSelector(".service.related");
    await expect.poll(() => page.locator(".related").count(), PATIENCE).toBe(3);
    expect(await page.locator(`.related[data-lane-key="${runner}"]`).count()).toBe(2);
    await page.locator(`.lane-label[data-lane-key="${runner}"] text`).first().hover();
    await page.waitForSelector(".lane-label.related");
    const inLane = await page.locator(`${PLOT} [data-part="${runner}"] > :is(.strand, .service, .marker)`).count();
    await expect.poll(() => page.locator(".related").count(), PATIENCE).toBe(inLane + 2);
  });

  it("keeps unchanged elements from its first refresh on", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    const marks = page.locator(`${PLOT} a, ${PLOT} path.relation, .timeline-labels .lane-link, .occupancy-plot path`);
    expect(await marks.count()).toBeGreaterThan(100);
    const renewed = await page.evaluateHandle(() => {
      for (const one of document.querySelectorAll(".timeline *")) Object.assign(one, { loaded: true });
      return { ended: new Promise((resolve) => document.body.addEventListener("fragment-shown", resolve)) };
    });
    await page.keyboard.press("r");
    await renewed.evaluate(({ ended }) => ended.then(() => undefined));
    expect(await marks.evaluateAll((all) => all.filter((one) => !("loaded" in one)).length)).toBe(0);
  });

  it("is one stop of the Tab key, and arrow keys go from mark to mark", async () => {
    const { page } = await open(monitor, WIDE);
    await page.goto(WINDOW);
    expect(await page.locator(`${PLOT} a[tabindex="0"]`).count()).toBe(1);
    await page.locator(`${PLOT} a[tabindex="0"]`).focus();
    const focused = () =>
      page.evaluate(() => {
        const mark = document.activeElement;
        const box = mark?.getBoundingClientRect();
        const name = mark?.querySelector("title")?.textContent;
        return { x: box?.x ?? 0, y: box?.y ?? 0, name };
      });
    const first = await focused();
    expect(first.name).toMatch(/\S/);
    const from = page.url();
    await page.keyboard.press("ArrowDown");
    const below = await focused();
    expect(below.y).toBeGreaterThan(first.y);
    await page.keyboard.press("Home");
    const home = await focused();
    await page.keyboard.press("ArrowRight");
    // Bars begin where they are, points lie around where they are.
    expect((await focused()).x).toBeGreaterThanOrEqual(home.x - 5);
    expect(page.url()).toBe(from);
    expect(await page.locator(`${PLOT} a[tabindex="0"]`).count()).toBe(1);
    await page.waitForSelector(".timeline.tracing");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#timeline-panel h2");
    await page.keyboard.press("Escape");
    await page.locator("#timeline-panel").waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest(".timeline-plot") !== null), PATIENCE)
      .toBe(true);
  });

  it("shows an invocation, an event, a schedule and a service run in its panel, and in the address", async () => {
    const { page, problems } = await open(monitor, WIDE);
    const data = await monitor.json<Timeline>("/invocations/timeline?time_range=5m");
    await page.goto("/invocations/timeline?open=*&limit=700");
    const click = async (selector: string) => {
      const mark = page.locator(`${PLOT} ${selector}`).first();
      await mark.scrollIntoViewIfNeeded();
      await mark.locator("rect, circle, path").last().dispatchEvent("click", { button: 0 });
      await page.waitForSelector("#timeline-panel .panel-content:not([aria-busy])");
      return page.locator("#timeline-panel").textContent();
    };
    const invocation = data.invocations.find((one) => one.parent_event_id !== null);
    const id = invocation?.invocation_id ?? "";
    const panel = await click(`.strand[data-invocation-id="${id}"]`);
    for (const entry of invocation?.entries ?? []) expect(panel).toContain(entry.timestamp.slice(11, 23));
    expect(panel).toContain(id);
    expect(panel).toContain("Triggered by");
    // The window that was shown stays: the address of a preset now names it.
    expect((await shown(page)).query).toEqual({ selected: id, range: "5m", open: "*", limit: "700" });
    expect(await page.locator(`${PLOT} .selected`).count()).toBe(
      await page.locator(`${PLOT} .strand[data-invocation-id="${id}"]`).count(),
    );

    const event = data.events.find((one) => one.triggered);
    expect(await click(`[data-event-id="${event?.event_id}"]`)).toContain(event?.event_code);
    expect((await shown(page)).query).toEqual({ focus_event: event?.event_id, range: "5m", open: "*", limit: "700" });

    const [service] = data.atomic_service_runs;
    expect(await click(`[data-atomic-service-run-id="${service?.atomic_service_run_id}"]`)).toContain(
      service?.atomic_service_run_id,
    );
    const cron = await click(".marker-cron");
    expect(cron).toMatch(/every minute|\* \* \* \* \*/);
    // With a key held a mark is a link as any other.
    const [other] = await Promise.all([
      page.context().waitForEvent("page"),
      page
        .locator(`${PLOT} .marker-cron path`)
        .first()
        .click({ modifiers: ["ControlOrMeta"], force: true }),
    ]);
    await expect.poll(() => new URL(other.url()).pathname, PATIENCE).toMatch(/^\/trigger-runs\//);
    await page.locator(".panel-close").click();
    await expect
      .poll(async () => (await shown(page)).query, PATIENCE)
      .toEqual({ range: "5m", open: "*", limit: "700" });
    expect(problems).toEqual([]);
  });

  it("opens the panel that the address names, scrolls to its mark and zooms to it", async () => {
    const { page, problems } = await open(monitor, WIDE);
    const { invocations } = await monitor.json<Timeline>(WINDOW);
    const id = invocations.find((one) => one.parent_event_id !== null)?.invocation_id ?? "";
    await page.goto(`${WINDOW}&selected=${id}&show_system=0`);
    await page.waitForSelector("#timeline-panel .panel");
    const strand = page.locator(`${PLOT} .strand[data-invocation-id="${id}"]`).first();
    await page.waitForSelector(".strand.selected");
    expect(await strand.evaluate((element) => element.matches(".selected"))).toBe(true);
    const inSight = () => strand.evaluate((element) => element.getBoundingClientRect().y);
    await expect.poll(inSight, PATIENCE).toBeGreaterThan(0);
    expect(await inSight()).toBeLessThan(1000);
    const from = page.url();
    await page.getByRole("link", { name: "Zoom to it" }).click();
    const near = await arrival(page, from);
    // Only the window is another: what the timeline leaves out it still does.
    expect(near.query).toEqual({
      open: "*",
      selected: id,
      show_system: "0",
      start_date: near.start,
      end_date: near.end,
    });
    expect(length(near)).toBeLessThan(20_000);
    // What the panel names and the plot shows is selected in place.
    const event = page.locator('#timeline-panel a[href^="/events/"]').first();
    const drawn = await page.locator(`${PLOT} a[href="${await event.getAttribute("href")}"]`).count();
    expect(drawn).toBe(1);
    await event.click();
    await expect.poll(() => page.locator(".panel-kind").textContent(), PATIENCE).toBe("Event");
    await page.keyboard.press("Escape");
    await page.locator("#timeline-panel").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("goes from the family in the panel to a drawn member without a reload", async () => {
    const { page, problems } = await open(monitor, WIDE);
    const window = "start_date=2026-11-21T00:34:39&end_date=2026-11-21T00:34:55&open=*";
    const { invocations } = await monitor.json<Timeline>(`/invocations/timeline?${window}`);
    const caller = invocations.find((one) => one.task_id_key === "tasks.root")?.invocation_id ?? "";
    const child = invocations.find((one) => one.parent_invocation_id === caller)?.invocation_id ?? "";
    await page.goto(`/invocations/timeline?${window}&selected=${caller}`);
    await page.locator(`.timeline-panel #family-${child} a`).click();
    await page.waitForURL((url) => url.searchParams.get("selected") === child);
    await page.locator(`.timeline-panel .family-focus-name#family-${child}`).waitFor();
    expect(await page.locator(`${PLOT} a.strand.selected`).first().getAttribute("data-invocation-id")).toBe(child);
    expect(problems).toEqual([]);
  });

  it("says in the panel when the thing in the address is not stored", async () => {
    const { page } = await open(monitor, { ...WIDE, expectStatuses: [404] });
    await page.goto(`${WINDOW}&selected=no-such-id`);
    await expect.poll(() => page.textContent("#timeline-panel"), PATIENCE).toContain("Not stored.");
  });

  it("is accessible with the panel open, beside it or beneath it", async () => {
    const { page, problems } = await open(monitor, { ...WIDE, reducedMotion: "reduce" });
    const { invocations } = await monitor.json<Timeline>(WINDOW);
    await page.goto(`${WINDOW}&selected=${invocations[3]?.invocation_id}`);
    await page.waitForSelector("#timeline-panel .panel");
    const axe = new Axe();
    for (const [width, colorScheme, aspects] of [
      [1440, "light", EVERYTHING],
      [1440, "dark", COLOURS],
      [400, "light", EVERYTHING],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await axe.examine(page, aspects)]).toEqual([width, colorScheme, []]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect([width, sideways]).toEqual([width, false]);
    }
    // What is selected is not behind the sheet.
    const [mark, sheet] = await page.evaluate(() => {
      document
        .querySelector<SVGAElement>(".strand.selected")
        ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      return [top(".strand.selected")?.bottom ?? 0, top("#timeline-panel")?.top ?? 0];
    });
    expect(mark).toBeLessThanOrEqual(sheet);
    expect(problems).toEqual([]);
  });
});

/** Elements that are lit and should not be, or the other way round, by the data attributes alone. */
function litWrongly(page: Page, focus: { invocation?: string; event?: string }): Promise<string[]> {
  return page.evaluate(({ invocation, event }) => {
    const data = (element: Element) => (element as SVGElement).dataset;
    const all = [...document.querySelectorAll(".strand, .service, .marker, .transition, .relation, .lanes > .lane")];
    const id = invocation ?? event;
    const relations = all
      .filter((e) => e.matches(".relation"))
      .map((e) => [data(e).from ?? "", data(e).to ?? ""] as const);
    const emitted = all.filter((e) => data(e).emitter !== undefined && data(e).eventId !== undefined);
    const pairs = [...relations, ...emitted.map((e) => [data(e).emitter ?? "", data(e).eventId ?? ""] as const)];
    const [up, down] = [new Set([id]), new Set([id])];
    // As many rounds as a chain could have links.
    for (let round = 0; round < pairs.length; round++)
      for (const [from, to] of pairs) {
        if (up.has(to)) up.add(from);
        if (down.has(from)) down.add(to);
      }
    const chain = (one: string | undefined) => one !== undefined && (up.has(one) || down.has(one));
    const wanted = (e: Element) => {
      const { invocationId, eventId, triggerRunId, from = "", to = "" } = data(e);
      if (e.matches(".relation")) return up.has(to) || down.has(from);
      return chain(invocationId) || chain(eventId) || (triggerRunId ?? "").split(" ").some(chain);
    };
    return all.filter((e) => wanted(e) !== e.matches(".related")).map((e) => e.outerHTML.slice(0, 160));
  }, focus);
}

describeInBrowser("a timeline of a store that changes", (open) => {
  it("keeps selection, highlight and panel through a refresh, and updates the panel", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { ...WIDE, live: "2" });
    const data = await monitor.json<Timeline>("/invocations/timeline");
    const paused = data.invocations.find((one) => one.entries.at(-1)?.status === "paused");
    const id = paused?.invocation_id ?? "";
    await page.goto(`/invocations/timeline?time_range=5m&selected=${id}`);
    await page.waitForSelector("#timeline-panel .panel");
    const strand = page.locator(`.strand[data-invocation-id="${id}"]`).first();
    await page.keyboard.press("Tab");
    await strand.focus();
    await page.waitForSelector(".strand.related");
    moveTo(monitor.path, id, "failed", presentOf("kitchen_sink.db") - 1);
    await expect
      .poll(() => page.locator(`.strand[data-invocation-id="${id}"] [data-status=failed]`).count(), PATIENCE)
      .toBe(1);
    await expect.poll(() => page.textContent(".panel-title"), PATIENCE).toContain("failed");
    const strands = await page.locator(`.strand[data-invocation-id="${id}"]`).count();
    expect(await page.locator(".strand.selected").count()).toBe(strands);
    expect(await page.locator(`.strand.related[data-invocation-id="${id}"]`).count()).toBe(strands);
    expect(await page.evaluate(() => (document.activeElement as SVGElement | null)?.dataset.invocationId)).toBe(id);
    expect(await page.locator(`${PLOT} a[tabindex="0"]`).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("keeps what a resting pointer lights through a refresh that changes it", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { ...WIDE, live: "2" });
    const data = await monitor.json<Timeline>("/invocations/timeline");
    const id = data.invocations.find((one) => one.entries.at(-1)?.status === "paused")?.invocation_id ?? "";
    await page.goto("/invocations/timeline?time_range=5m");
    const strands = page.locator(`.strand[data-invocation-id="${id}"]`);
    // A real pointer would light whatever a refresh moves below it.
    await strands.locator(".bar").last().dispatchEvent("pointerover");
    await page.waitForSelector(`.strand.related[data-invocation-id="${id}"]`);
    moveTo(monitor.path, id, "failed", presentOf("kitchen_sink.db") - 1);
    await expect.poll(() => strands.locator("[data-status=failed]").count(), PATIENCE).toBe(1);
    const unlit = page.locator(`.strand[data-invocation-id="${id}"]:not(.related)`);
    await expect.poll(() => unlit.count(), PATIENCE).toBe(0);
    expect(await page.locator(".timeline.tracing").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("keeps the elements of unchanged marks, and equals what the server draws", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { ...WIDE, live: "2" });
    const data = await monitor.json<Timeline>("/invocations/timeline");
    const [first = "", second = ""] = data.invocations
      .filter((one) => one.entries.at(-1)?.status === "success")
      .map((one) => one.invocation_id);
    await page.goto("/invocations/timeline?time_range=5m");
    const moved = async (id: string) => {
      moveTo(monitor.path, id, "failed", presentOf("kitchen_sink.db") - 1);
      const failed = page.locator(`.strand[data-invocation-id="${id}"] [data-status=failed]`);
      await expect.poll(() => failed.count(), PATIENCE).toBe(1);
    };
    await moved(first);
    await page.evaluate((plot) => {
      for (const mark of document.querySelectorAll(`${plot} a:not(.slice)`)) mark.setAttribute("data-seen", "");
    }, PLOT);
    await moved(second);
    const result = await page.evaluate(async (plot) => {
      const answer = await fetch(location.href, { headers: { "hx-request": "true" } });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".timeline-plot");
      const links = [...document.querySelectorAll<SVGElement>(`${plot} a`)];
      const marks = links.filter((link) => !link.matches(".slice"));
      const others = marks.filter((mark) => !mark.hasAttribute("data-seen"));
      for (const mark of links) {
        mark.removeAttribute("data-seen");
        mark.removeAttribute("tabindex");
      }
      return {
        marks: marks.length,
        made: [...new Set(others.map((mark) => mark.dataset.invocationId))],
        right: document.querySelector(plot)?.isEqualNode(fresh),
      };
    }, PLOT);
    expect(result.marks).toBeGreaterThan(50);
    expect(result).toMatchObject({ made: [second], right: true });
    expect(problems).toEqual([]);
  });

  it("is not refreshed during a drag, but with the next refresh", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { ...WIDE, live: "2" });
    const data = await monitor.json<Timeline>("/invocations/timeline");
    const id = data.invocations.find((one) => one.entries.at(-1)?.status === "paused")?.invocation_id ?? "";
    await page.goto("/invocations/timeline?time_range=5m");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    const failed = page.locator(`.strand[data-invocation-id="${id}"] [data-status=failed]`);
    // The answer comes during the drag.
    let answer = () => {};
    await page.route("**/invocations/timeline*", async (route) => {
      if (route.request().headers()["hx-request"] === "true") await new Promise<void>((resolve) => (answer = resolve));
      await route.continue();
    });
    moveTo(monitor.path, id, "failed", presentOf("kitchen_sink.db") - 1);
    const asked = page.waitForRequest((request) => request.headers()["hx-request"] === "true");
    await page.clock.runFor(3_000);
    const request = await asked;
    await drag(page, 0.2, 0.5);
    answer();
    await (await request.response())?.finished();
    await page.clock.runFor(500);
    await page.unroute("**/invocations/timeline*");
    expect(await failed.count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect
      .poll(async () => {
        await page.clock.runFor(3_000);
        return failed.count();
      }, PATIENCE)
      .toBe(1);
    expect(problems).toEqual([]);
  });

  it("is drawn completely when a refresh brings the first invocations", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { ...WIDE, live: "2" });
    const data = await monitor.json<Timeline>("/invocations/timeline");
    await page.goto("/invocations/timeline?time_range=5m&status=killed");
    expect(await page.locator(PLOT).count()).toBe(0);
    const some = data.invocations.slice(0, 40).map((one) => one.invocation_id);
    for (const id of some) moveTo(monitor.path, id, "killed", presentOf("kitchen_sink.db") - 1);
    const drawn = () =>
      page
        .locator(`${PLOT} .strand`)
        .evaluateAll((all) => [...new Set(all.map((one) => (one as SVGElement).dataset.invocationId))]);
    await expect.poll(async () => (await drawn()).toSorted(), PATIENCE).toEqual(some.toSorted());
    expect((await page.locator(PLOT).innerHTML()).length).toBeGreaterThan(20_000);
    expect(problems).toEqual([]);
  });

  it("shows stored text in the panel as text", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const id = `evil/../%2F?#</td><script>ran=1</script>"'\u202egnp.exe\u001b[31m`;
    const task = `shop."><img src=x onerror=ran=1>.mod\u001b[2J.fn'\u2066`;
    const now = presentOf("kitchen_sink.db");
    insert(monitor.path, "state_backend_invocations", {
      invocation_id: id,
      call_id_key: `${task}:no_args`,
      task_id_key: task,
      arguments_id: "no_args",
      serialized_arguments: "{not json <script>",
      parent_invocation_id: "javascript:ran=1",
      parent_event_id: `"><script>ran=1</script>`,
      workflow_id: id,
      workflow_type_key: task,
    });
    moveTo(monitor.path, id, "running", now - 2);
    moveTo(monitor.path, id, `"><b>teleported`, now - 1);
    insert(monitor.path, "state_backend_exceptions", { invocation_id: id, exception_data: "NaN</pre><script>" });
    const { page, problems } = await open(monitor, WIDE);
    await page.goto("/invocations/timeline?time_range=1m");
    const mark = page
      .locator(PLOT)
      .getByRole("link", { name: /onerror/ })
      .first();
    await mark.locator("rect, circle").last().dispatchEvent("click", { button: 0 });
    await page.waitForSelector("#timeline-panel .panel");
    const panel = page.locator("#timeline-panel");
    const text = (await panel.textContent()) ?? "";
    expect(text).toContain("<script>ran=1</script>");
    expect(["\u202e", "\u001b", "\u2066"].filter((character) => text.includes(character))).toEqual([]);
    expect(await panel.locator("script, img, b").count()).toBe(0);
    expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    expect(new URL(page.url()).searchParams.get("selected")).toBe(id);
    // And by the address alone.
    await page.reload();
    await expect.poll(() => page.textContent("#timeline-panel"), PATIENCE).toContain("onerror");
    expect(problems).toEqual([]);
  });
});
