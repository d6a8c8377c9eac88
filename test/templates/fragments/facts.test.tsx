/** What is said of a thing, as pages draw it and the terminal prints it: the same words from one list. */
import { describe, expect, it } from "vitest";
import { factLines, textOf } from "../../../src/cli/print/facts.ts";
import { Output } from "../../../src/cli/print/output.ts";
import { type Column, chosenColumns, type Part } from "../../../src/presentation/facts/column.ts";
import {
  absent,
  type FactValue,
  fact,
  group,
  isAbsent,
  shortFacts,
  unknown,
} from "../../../src/presentation/facts/fact.ts";
import { ColumnTable } from "../../../templates/fragments/facts/column-table.tsx";
import { FactValueView } from "../../../templates/fragments/facts/fact-value.tsx";
import { PartCard } from "../../../templates/fragments/facts/part-card.tsx";
import { FactCard, FactLine } from "../../../templates/fragments/facts/thing-facts.tsx";
import { dom, HOSTILE, text } from "../render.tsx";

const AT = "2026-11-21T00:34:43.000123+00:00";
const ID = "89e2a65c-ae23-4247-a845-e2fd800d857c";
const ROW = { invocation_id: ID, task_id_key: "shop.pay", status: "failed", status_source: "orchestrator" } as const;
const RUNNER = { runner_id: "r1", context_missing: false, runner_cls: "ThreadRunner", hostname: "vm", pid: 7 };

/** A value of each kind, with what a page and the terminal say. */
const VALUES: readonly [kind: string, value: FactValue, page: string, terminal: string][] = [
  ["nothing", null, "–", "–"],
  ["words", "any of 2 conditions", "any of 2 conditions", "any of 2 conditions"],
  ["stored text", { text: "shop.pay", look: "code" }, "shop.pay", "shop.pay"],
  ["a mark", { mark: "silent", tone: "bad" }, "silent", "silent"],
  ["an instant", { time: AT }, "2026-11-21 00:34:43.000", "2026-11-21 00:34:43.000"],
  ["a length", { seconds: 1.5, at_least: true }, "≥ 1.5 s", "≥ 1.5 s"],
  ["a number", { count: 1_200, capped: true }, "1,200+", "1,200+"],
  ["an id", { id: ID, to: { kind: "invocation", id: ID } }, "89e2a65c…857c", ID],
  ["a whole id", { id: ID, full: true }, ID, ID],
  ["a task", { task: "shop.pay" }, "shop.pay", "shop.pay"],
  ["a call", { call: "shop.pay:no_args" }, "no_args", "shop.pay:no_args"],
  ["a runner", { runner: { ...RUNNER, thread_id: null, parent: null } }, "ThreadRunner", "ThreadRunner vm:7 r1"],
  ["a status", { status: "failed" }, "failed", "failed"],
  ["a status of nothing stored", { status_of: { ...ROW, status_source: "none" } }, "no status", "(no status)"],
  ["an invocation", { invocation: ROW }, "shop.pay", `${ID} shop.pay failed`],
  ["a value with a remark", { parts: ["shop", { mark: "cleared" }] }, "cleared", "shop (cleared)"],
  ["several values", { list: ["a", "b"], more: 3 }, "and 3 more", "a, b, 3 more"],
  ["values with a word between", { list: ["a", "b"], joint: "or" }, "or b", "a or b"],
];

describe("a value", () => {
  it.each(VALUES)("of the kind %s is drawn on a page and printed on the terminal", (_, value, page, terminal) => {
    expect(text(<FactValueView value={value} />)).toContain(page);
    expect(textOf(value)).toBe(terminal);
  });

  it("that is a sentence is whole in a table, where other long texts are cut and have a title", () => {
    const words = "result of shop.stock.count_shelf accepted by shop.stock.is_negative";
    const title = (value: FactValue) =>
      dom(<FactValueView value={value} cell />)
        .querySelector("span")
        ?.getAttribute("title");
    expect(title({ text: words })).toBe(words);
    expect(title({ text: words, look: "sentence" })).toBeUndefined();
  });

  it("is a link if it has a target", () => {
    const hrefs = (value: FactValue) =>
      dom(<FactValueView value={value} />)
        .querySelectorAll("a")
        .map((a) => a.getAttribute("href"));
    expect(hrefs({ count: 2, to: { invocations: { parent: ID } } })).toEqual([`/invocations/?parent=${ID}`]);
    expect(hrefs({ task: "shop.pay" })).toEqual(["/tasks/shop.pay"]);
    expect(hrefs({ task: "shop.pay", to: null })).toEqual([]);
    expect(hrefs({ list: ["a"], more: 1, all: { kind: "event", id: "e1" } })).toEqual(["/events/e1"]);
  });

  it.each<FactValue>([
    HOSTILE,
    { text: HOSTILE },
    { mark: HOSTILE },
    { id: HOSTILE },
    { task: HOSTILE },
    { status: HOSTILE },
  ])("with stored text of any kind neither breaks out of a page nor hides in it: %j", (value) => {
    const drawn = dom(<FactValueView value={value} cell />);
    expect(drawn.querySelectorAll("script")).toHaveLength(0);
    expect(drawn.text).not.toMatch(/[^\P{Cc}\n\t]|\p{Cf}/u);
  });

  it("says nothing if it is null, empty, or only explains why there is nothing", () => {
    const nothing: FactValue[] = [
      null,
      "",
      absent("none"),
      { time: null },
      { seconds: null },
      { count: null },
      { parts: [null] },
    ];
    expect(nothing.map(isAbsent)).toEqual(nothing.map(() => true));
    expect(VALUES.slice(1).filter(([, value]) => isAbsent(value))).toEqual([]);
  });
});

describe("facts", () => {
  const groups = [
    group("Invocation", fact("task", "Task", { task: "shop.pay" }), fact("owner", "Owner", absent("none")), null),
    group("Origin", fact("children", "Children", { count: 3 }), false),
  ];

  it("are in a card of the page when there is something or it is not known, and elsewhere only when there is something", () => {
    const known = group("Place", fact("place", "Place", unknown("not stored")));
    const labels = dom(<FactCard title="Details" groups={[...groups, known]} hide={["children"]} />)
      .querySelectorAll("dt")
      .map((dt) => dt.text);
    expect(labels).toEqual(["Task", "Place"]);
    expect(shortFacts(groups).map(({ label }) => label)).toEqual(["Task", "Children"]);
    const lines = factLines("invocation", ID, groups, output());
    expect(lines).toEqual([`Invocation  ${ID}`, "Task        shop.pay", "Children    3"]);
  });

  it("are in the line under a title in the order of their keys, behind the id, without empty ones", () => {
    const line = dom(<FactLine id={ID} groups={groups} keys={["children", "owner", "task"]} />).firstChild;
    expect(line?.childNodes.map((part) => part.text.trim())).toEqual([ID, "Children 3", "Task shop.pay"]);
  });

  it("make no card when there is nothing to say", () => {
    expect(dom(<FactCard title="Details" groups={groups} hide={["task", "children"]} />).text).toBe("");
  });
});

describe("a table about a thing", () => {
  const rows = ["a", "b", "c"].map((name) => ({ name }));
  const part: Part<{ name: string }> = {
    title: "Names",
    caption: "Names",
    columns: [{ of: ["name"], label: "Name", value: ({ name }) => name }],
    rows,
    keyOf: (_, index) => String(index),
  };
  const keys = (root: ReturnType<typeof dom>) =>
    root.querySelectorAll("tbody tr").map((one) => one.getAttribute("data-row"));

  it("has the rows after the first few behind a click, each with a key of its own", () => {
    const card = dom(<PartCard part={part} first={2} />);
    expect(card.querySelector("details.more-rows summary")?.text).toBe("1 more");
    expect(card.querySelectorAll("details tbody tr").map((one) => one.text)).toEqual(["c"]);
    expect(keys(card)).toEqual(["0", "1", "2"]);
  });

  it("leaves those rows to the whole list where there is one", () => {
    const card = dom(<PartCard part={{ ...part, all: { label: "All names", to: { queue: {} } } }} first={2} />);
    expect(card.querySelector("details")).toBeNull();
    expect(keys(card)).toEqual(["0", "1"]);
    expect(card.querySelector(".card-header a")?.text).toBe("All names");
  });

  it("hides nothing when there are few rows", () => {
    expect(dom(<PartCard part={part} first={3} />).querySelector("details")).toBeNull();
    expect(keys(dom(<PartCard part={part} />))).toEqual(["0", "1", "2"]);
  });
});

describe("columns", () => {
  const columns: readonly Column<{ name: string; age: number }>[] = [
    { of: ["name"], label: "Name", value: ({ name }) => name },
    { of: ["age", "born"], label: "Age", align: "end", roomy: true, value: ({ age }) => ({ count: age }) },
    { of: ["note"], label: "Note", extra: true, value: () => null },
  ];
  const names = (choice: Parameters<typeof chosenColumns>[1]) =>
    chosenColumns(columns, choice).map(({ label }) => label);

  it("are the usual ones, less those hidden, more those asked for, or those that a viewer chose", () => {
    expect(names({})).toEqual(["Name", "Age"]);
    expect(names({ hide: ["age"], extra: ["note"] })).toEqual(["Name", "Note"]);
    // The column that names a row stays, and a column may be chosen by any member that it shows.
    expect(names({ fields: ["born"], hide: ["age"] })).toEqual(["Name", "Age"]);
  });

  it("that a viewer chose are shown however narrow a page is", () => {
    const table = (fields: string[]) =>
      dom(
        <ColumnTable
          columns={columns}
          fields={fields}
          records={[{ name: "a", age: 2 }]}
          keyOf={() => "a"}
          caption="Names"
          empty={null}
        />,
      );
    expect(table([]).querySelectorAll("th.roomy")).toHaveLength(1);
    expect(table(["age"]).querySelectorAll("th.roomy")).toHaveLength(0);
    expect(
      table([])
        .querySelectorAll("tbody th[scope=row]")
        .map((th) => th.text),
    ).toEqual(["a"]);
  });
});

function output(): Output {
  const value = <Value,>(of: Value) => ({ value: of, origin: "default" as const });
  return new Output({ json: value(false), quiet: value(false), color: value("never"), noPager: value(true) } as never);
}
