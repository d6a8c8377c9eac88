import { describe, expect, test } from "vitest";
import type { ComparedDifference, Comparison } from "../../../src/api/compare.ts";
import { shownFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { CompareContent, CompareHeader } from "../../../templates/pages/compare.tsx";
import type { View } from "../../../templates/pages/view.ts";
import { dom } from "../render.tsx";

const PAIR: ComparedDifference = {
  sentence: "host b and region=eu: 38 of 40 selected, 12 of 1,960 in the baseline",
  measure: "share",
  values: [
    { dimension: "host", argument: null, value: "b", words: "host b" },
    { dimension: "argument", argument: "region", value: "eu", words: "region=eu" },
  ],
  alike: [{ dimension: "runner", argument: null, value: "r1", words: "runner r1" }],
  here: { count: 38, total: 40, median_seconds: null, p95_seconds: null },
  there: { count: 12, total: 1_960, median_seconds: null, p95_seconds: null },
  times: null,
  apart: 0.944,
  at_least: 0.8,
  query: null,
};

const SLOWER: ComparedDifference = {
  ...PAIR,
  measure: "run",
  values: [{ dimension: "argument", argument: "sku", value: "<b>", words: "sku=<b>\u202e" }],
  alike: [],
  here: { count: 30, total: 30, median_seconds: 5.1, p95_seconds: 7 },
  there: { count: 300, total: 300, median_seconds: 1, p95_seconds: 2 },
  times: 5.1,
  query: 'arg.sku="<b>"',
};

function model(given: Partial<Comparison> = {}): Comparison {
  return {
    with: "rest",
    here: { filter: { ...shownFilter(NO_FILTER), query: ["run>5s"] }, compared: 40, total: 40, sample: false },
    there: { filter: shownFilter(NO_FILTER), compared: 1_960, total: 31_400, sample: true },
    span: { from: "2026-01-05T12:00:00.000000+00:00", to: null },
    left_out: ["time running"],
    values: 212,
    pairs: 22_366,
    differences: [PAIR, SLOWER],
    closest: [],
    medians: [],
    differences_total: 2,
    notes: [],
    ...given,
  };
}

function view(compared: Comparison, changes: Partial<View<Comparison>>): View<Comparison> {
  return {
    model: compared,
    path: "/compare/",
    query: {},
    now: "2026-01-05T13:00:00.000000+00:00",
    readOnly: false,
    ...changes,
  };
}

const QUERY = { q: ["run>5s"], status: ["failed"], limit: ["5"], with: ["rest"], range: ["24h"] };
const content = (given?: Partial<Comparison>) => dom(<CompareContent {...view(model(given), { query: QUERY })} />);

describe("a comparison", () => {
  test("shows both sides, and each difference with both counts", () => {
    const node = content();
    const [sides, differences] = node
      .querySelectorAll("tbody")
      .map((body) => body.querySelectorAll("tr").map((row) => row.querySelectorAll("th, td").map((cell) => cell.text)));
    expect(sides?.map((row) => row.slice(0, 2))).toEqual([
      ["Selectedrun>5s, last change: since 2026-01-05 12:00", "40 invocations"],
      ["Baselineall others", "a sample of 1,960 of about 31,400 invocations"],
    ]);
    expect(node.querySelector(".card .info")?.text).toContain("because the selection was chosen by it: time running.");
    expect(differences).toEqual([
      ["host b and region=euthe same invocations: runner r1", "+94 pp", "38 of 40, 95 %", "12 of 1,960, 0.6 %"],
      ["sku=<b>⟨U+202E⟩: time running", "5.1× as long", "5.1 s in 30", "1 s in 300"],
    ]);
    expect(node.querySelectorAll(".proportion-part").map((bar) => bar.getAttribute("width"))).toEqual([
      "95.0",
      "0.6",
      "100.0",
      "19.6",
    ]);
    expect(node.text).toContain("Compared 212 values and 22,366 pairs of values.");
  });

  test("without a significant difference lists the closest ones, marked as possibly chance", () => {
    const node = content({ differences: [], differences_total: 0, closest: [PAIR] });
    expect(node.querySelectorAll("caption").at(-1)?.text).toBe("Differences that could be chance");
    expect(node.querySelector(".card-note")?.text).toContain("No significant difference");
    expect(node.querySelector(".card-note .mark-warn")?.text).toBe("could be chance");
    expect(node.querySelectorAll("tbody").at(-1)?.querySelectorAll("tr")).toHaveLength(1);
  });

  test("has how long both sides took before what differs, also where one is not known", () => {
    const side = (count: number, median_seconds: number | null, p95_seconds = median_seconds) => ({
      ...{ count, total: count },
      ...{ median_seconds, p95_seconds },
    });
    const medians = [
      { measure: "run" as const, here: side(40, 5.1, 9), there: side(1_960, 1, 2) },
      { measure: "wait" as const, here: side(0, null), there: side(1_900, 0.2) },
    ];
    const [table] = content({ medians }).querySelectorAll("table");
    expect(table?.querySelectorAll("thead th").map(({ text }) => text)).toEqual([
      ...["Side", "Compared", "Running median", "Running p95", "Waiting median", "Waiting p95"],
    ]);
    const rows = table?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td").map(({ text }) => text));
    expect(rows?.map((row) => row.slice(1))).toEqual([
      ["5.1 s", "9 s", "–", "–"],
      ["1 s", "2 s", "200 ms", "200 ms"],
    ]);
  });

  test("links differences that a search can find, within the selection", () => {
    const hrefs = content()
      .querySelectorAll("tbody a")
      .map((a) => decodeURIComponent(a.getAttribute("href") ?? ""));
    expect(hrefs).toEqual(['/invocations/?q=run>5s arg.sku="<b>"&status=failed&range=24h']);
  });

  test("says when nothing differs, when there are too few values, and when more is not listed", () => {
    const none = content({ differences: [], differences_total: 0 });
    expect(none.text).toContain("No significant difference. Compared 212 values");
    expect(none.text).not.toContain("one comparison in a thousand");
    expect(content({ values: 0, pairs: 0, differences: [], differences_total: 0 }).text).toContain(
      "One side has too few",
    );
    expect(content({ differences_total: 7 }).text).toContain("The greatest 2 of 7 are listed.");
    const empty = { filter: shownFilter(NO_FILTER), compared: 0, total: 0, sample: false };
    const node = content({
      here: empty,
      differences: [],
      differences_total: 0,
      notes: ["No invocation is in the selection."],
    });
    expect(node.querySelectorAll("h2").map(({ text }) => text)).toEqual(["Both sides"]);
    expect(node.text).toContain("No invocation is in the selection.");
  });

  test("shows examples, and no links to list or clear, without a selection", () => {
    const nothing = { filter: shownFilter(NO_FILTER), compared: 0, total: null, sample: false };
    const given = model({ here: nothing, there: nothing, values: 0, pairs: 0, differences: [], notes: ["a note"] });
    const hrefs = dom(<CompareContent {...view(given, { query: {} })} />)
      .querySelectorAll("a")
      .map((a) => decodeURIComponent(a.getAttribute("href") ?? ""));
    expect(hrefs).toEqual(["/compare/?q=status:failed", "/compare/?q=run>5s", "/compare/?range=1h", "/diff"]);
    const actions = dom(<CompareHeader {...view(given, { query: {} })} />).querySelectorAll(".actions a, a.quiet");
    expect(actions.map((a) => a.getAttribute("href"))).toEqual(["/diff"]);
  });

  test("keeps filters without a field in its form, and has chips that remove them", () => {
    const node = dom(<CompareHeader {...view(model(), { query: QUERY, path: "/compare/" })} />);
    const kept = node.querySelectorAll("form input[type=hidden]").map((input) => input.getAttribute("name"));
    expect(kept.filter((name) => name !== "range")).toEqual(["status", "limit"]);
    const list = node.querySelectorAll(".page-title .actions a").at(-1)?.getAttribute("href") ?? "";
    expect(decodeURIComponent(list)).toBe("/invocations/?q=run>5s&status=failed&range=24h");
    const chips = node.querySelectorAll(".chips a").map((a) => decodeURIComponent(a.getAttribute("href") ?? ""));
    expect(chips).toEqual(["/compare/?status=failed&limit=5&with=rest&range=24h"]);
  });
});
