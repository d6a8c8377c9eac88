import { parse } from "node-html-parser";
import { describe, expect, test } from "vitest";
import type { PageInfo } from "../../../src/api/model/common.ts";
import { createLinks } from "../../../src/presentation/links.ts";
import { FAMILY_COLOURS, STATUSES, statusInfo } from "../../../src/pynenc/statuses.ts";
import { statusStylesheet } from "../../../templates/assets/status-css.ts";
import { RunnerName } from "../../../templates/fragments/facts/runner-name.tsx";
import { StatusBadge } from "../../../templates/fragments/invocations/status-badge.tsx";
import { StatusField } from "../../../templates/fragments/invocations/status-field.tsx";
import { TaskName } from "../../../templates/fragments/invocations/task-name.tsx";
import { Card } from "../../../templates/fragments/ui/card.tsx";
import { CopyButton } from "../../../templates/fragments/ui/copy-button.tsx";
import { Count } from "../../../templates/fragments/ui/count.tsx";
import { DataTable } from "../../../templates/fragments/ui/data-table.tsx";
import { Duration } from "../../../templates/fragments/ui/duration.tsx";
import { FilterBar } from "../../../templates/fragments/ui/filter-bar.tsx";
import { FilterForm, NumberField, SelectField, TextField } from "../../../templates/fragments/ui/filter-form.tsx";
import { Id } from "../../../templates/fragments/ui/id.tsx";
import { LiveRegion } from "../../../templates/fragments/ui/live-region.tsx";
import { Pager, pageText } from "../../../templates/fragments/ui/pager.tsx";
import { ShareBar } from "../../../templates/fragments/ui/share-bar.tsx";
import { Time } from "../../../templates/fragments/ui/time.tsx";
import { ValueView } from "../../../templates/fragments/values/value-view.tsx";
import { renderFragment } from "../../../templates/layout/render.tsx";
import { dom, HOSTILE, html, text } from "../render.tsx";

const UUID = "c6d40964-98af-408f-92dc-00ec42f5276d";

describe("stored text", () => {
  const value = { form: "json", text: HOSTILE, truncated: true, size: 9, note: HOSTILE, reference: HOSTILE } as const;
  test.each([
    ["Id", <Id key="" value={HOSTILE} />],
    ["Id in full", <Id key="" value={HOSTILE} href="/x" full />],
    ["StatusBadge", <StatusBadge key="" status={HOSTILE} />],
    ["TaskName", <TaskName key="" task_id_key={`m.${HOSTILE}`} href="/x" />],
    ["RunnerName", <RunnerName key="" runner_id={HOSTILE} runner_cls={HOSTILE} hostname={HOSTILE} pid={1} missing />],
    ["ShareBar", <ShareBar key="" label="x" shares={[{ status: HOSTILE, count: 1 }]} />],
    ["ValueView", <ValueView key="" value={value} />],
    [
      "FilterBar",
      <FilterBar key="" path="/" filters={[{ label: "x", value: HOSTILE, href: "/x" }]}>
        x
      </FilterBar>,
    ],
    ["Time", <Time key="" iso={HOSTILE} />],
    ["SelectField", <SelectField key="" name="n" label="l" value={null} options={[{ value: "", label: HOSTILE }]} />],
  ])("%s shows hostile text without markup or invisible characters", (_name, node) => {
    const markup = html(node);
    expect(markup).not.toContain("<script");
    expect(dom(node).querySelector("script")).toBeNull();
    // A status word stays a word: it never becomes a class.
    expect(markup).not.toMatch(/class="[^"]*alert/);
    expect(dom(node).text).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});

describe("StatusBadge", () => {
  test("has a class of its own for a known status", () => {
    expect(html(<StatusBadge status="running" />)).toContain('class="status status-running"');
    expect(text(<StatusBadge status="running" />)).toBe("running");
  });

  test("keeps the spelling of an unknown status, with a neutral class", () => {
    expect(html(<StatusBadge status="Hyper_Queued" />)).toContain('class="status status-unknown"');
    expect(text(<StatusBadge status="Hyper_Queued" />)).toBe("Hyper_Queued");
    expect(text(<StatusBadge status="" />)).toBe("(empty)");
  });
});

test("the stylesheet has a colour for every status, the old resumed and unknown", () => {
  const css = statusStylesheet();
  for (const word of [...STATUSES.map(({ name }) => name), "resumed", "unknown"]) {
    const { family, glyph } = statusInfo(word);
    const { light, dark } = FAMILY_COLOURS[family];
    const rules = css.split("\n").filter((rule) => rule.split("{")[0]?.split(",").includes(`.status-${word}`));
    expect(rules.map((rule) => rule.replace(/^.*\{/, "{"))).toEqual([
      `{--status:light-dark(${light},${dark})}`,
      expect.stringContaining(glyph === "diamond" ? "--glyph-turn:45deg" : "--glyph-turn:0deg"),
    ]);
  }
  // Programs that draw files do not know the function.
  expect(statusStylesheet(true)).not.toContain("light-dark");
  expect(statusStylesheet(true)).toContain(`{--status:${FAMILY_COLOURS.failed.light}}`);
});

describe("Id", () => {
  test("shows a shortened id, with the whole id in its title and for copying", () => {
    const node = dom(<Id value={UUID} href="/invocations/x" />);
    expect(node.querySelector("a")?.text).toBe("c6d40964…276d");
    expect(node.querySelector("a")?.getAttribute("title")).toBe(UUID);
    expect(node.querySelector("button")?.getAttribute("data-copy")).toBe(UUID);
    expect(node.querySelector("button")?.getAttribute("aria-label")).toBe("Copy id c6d40964…276d");
  });

  test("has no copy button when it is switched off", () => {
    expect(dom(<Id value={UUID} copy={false} />).querySelector("button")).toBeNull();
  });
});

test("characters that markup cannot carry are encoded for copying", () => {
  const button = dom(<CopyButton text={"a\0\r\u202eß"} what="value" />).querySelector("button");
  expect(button?.getAttribute("data-copy")).toBeUndefined();
  expect(decodeURIComponent(button?.getAttribute("data-copy-encoded") ?? "")).toBe("a\0\r\u202eß");
});

describe("Pager", () => {
  const page = (changes: Partial<PageInfo>): PageInfo => ({
    number: 2,
    size: 50,
    total: 1234,
    total_capped: false,
    has_next: true,
    first_row: 51,
    last_row: 100,
    ...changes,
  });

  test.each<[string, Partial<PageInfo>]>([
    ["51–100 of 1,234", {}],
    ["51–100 of more than 10,000", { total: 10_000, total_capped: true }],
    ["51–100, more follow", { total: null }],
    ["51–60, end of list", { total: null, has_next: false, last_row: 60 }],
    ["51 of 51", { total: 51, has_next: false, last_row: 51 }],
    ["No rows", { number: 1, total: 0, first_row: 0, last_row: 0, has_next: false }],
    ["No rows on this page", { number: 9, first_row: 0, last_row: 0, has_next: false }],
  ])("shows %s", (expected, changes) => {
    expect(pageText(page(changes))).toBe(expected);
  });

  const steps = (changes: Partial<PageInfo>) =>
    dom(<Pager page={page(changes)} hrefFor={(number) => `/l?page=${number}`} />)
      .querySelectorAll("li > *")
      .map((step) => `${step.text}>${step.getAttribute("href") ?? "-"}`);

  test("has links to the first, previous, next and last page in the middle", () => {
    expect(steps({})).toEqual(["First>/l?page=1", "Previous>/l?page=1", "Next>/l?page=3", "Last>/l?page=25"]);
  });

  test("has no link to the last page when the total is not known", () => {
    expect(steps({ total_capped: true })).toHaveLength(3);
    expect(steps({ total: null })).toHaveLength(3);
  });

  test("has no links when there is only one page", () => {
    expect(steps({ number: 1, has_next: false })).toEqual([]);
    expect(steps({ number: 25, has_next: false }).slice(2)).toEqual(["Next>-", "Last>-"]);
  });
});

describe("DataTable", () => {
  const columns = [
    { label: "Task", rowHeader: true },
    { label: "Runs", align: "end" as const, hint: "Why" },
  ];

  test("has column scopes, a caption and a scroll region for the keyboard", () => {
    const node = dom(<DataTable columns={columns} rows={[{ key: "a", cells: ["a", 1] }]} caption="Tasks" empty="-" />);
    expect(node.querySelector("[tabindex=0]")?.getAttribute("aria-label")).toBe("Tasks");
    expect(node.querySelectorAll("th[scope=col]").map((cell) => cell.text)).toEqual(["Task", "Runs"]);
    expect(node.querySelector("th[scope=row]")?.text).toBe("a");
    expect(node.querySelector("td")?.classNames).toBe("end");
  });

  test("shows its placeholder when it has no rows", () => {
    expect(text(<DataTable columns={columns} rows={[]} caption="Tasks" empty={<p>Nothing yet</p>} />)).toBe(
      "Nothing yet",
    );
  });
});

test("a time of a list is absolute in the markup, to the second, with milliseconds in its title, and marked to be shown as an age", () => {
  const node = dom(<Time iso="2026-11-21T00:34:39.919765+00:00" relative />).querySelector("time");
  expect(node?.text).toBe("2026-11-21 00:34:39");
  expect(node?.getAttribute("title")).toBe("2026-11-21 00:34:39.919 UTC");
  expect(node?.getAttribute("datetime")).toBe("2026-11-21T00:34:39.919765+00:00");
  expect(node?.hasAttribute("data-relative")).toBe(true);
  expect(text(<Time iso={null} />)).toBe("–");
});

test("a list leaves out the date of today, and a file none", async () => {
  const shown = (iso: string) => <Time iso={iso} relative />;
  const inList = async (iso: string) =>
    parse(await renderFragment(createLinks(null), shown(iso), "2026-11-21", { nonce: "n0nce", turn: async () => {} }))
      .text;
  expect(await inList("2026-11-21T00:34:39.919765+00:00")).toBe("00:34:39");
  expect(await inList("2026-11-20T00:34:39.919765+00:00")).toBe("2026-11-20 00:34:39");
  expect(text(shown("2026-11-21T00:34:39.919765+00:00"))).toBe("2026-11-21 00:34:39");
});

test("a card that counts none has its head only for screen readers", () => {
  const heads = (title: string) => dom(<Card title={title}>none</Card>).querySelectorAll(".visually-hidden h2");
  expect([heads("0 tasks").length, heads("10 tasks").length]).toEqual([1, 0]);
});

test("durations and counts are shown with their units, signs and bounds", () => {
  expect(text(<Duration seconds={1.24} />)).toBe("1.24 s");
  expect(text(<Duration seconds={-2} />)).toContain("clock skew");
  expect(text(<Duration seconds={null} />)).toBe("–");
  expect(text(<Count value={1234} capped />)).toBe("1,234+");
});

test("a share bar has no inline styles, and its label has the counts", () => {
  const shares = [
    { status: "success", count: 999_999 },
    { status: "failed", count: 1 },
    { status: "retry", count: 0 },
  ];
  const bar = dom(<ShareBar label="Invocations" shares={shares} />);
  expect(bar.querySelector("svg")?.getAttribute("aria-label")).toBe("Invocations: success 999,999, failed 1");
  const rects = bar.querySelectorAll("rect.share");
  expect(rects).toHaveLength(2);
  expect(Number(rects[1]?.getAttribute("width"))).toBeGreaterThan(2);
  const end = Number(rects[1]?.getAttribute("x")) + Number(rects[1]?.getAttribute("width"));
  expect(end).toBeCloseTo(1000, 1);
  expect(bar.toString()).not.toContain("style=");
  expect(text(<ShareBar label="Empty" shares={[]} />)).toBe("");
});

test("a live region has the address of its refresh and the version that it shows", () => {
  const region = dom(
    <LiveRegion id="queue" href="/broker/refresh?app=a&page=2" etag={'"v1"'}>
      <p>here</p>
    </LiveRegion>,
  ).querySelector("#queue");
  expect(region?.getAttribute("data-live")).toBe("/broker/refresh?app=a&page=2");
  expect(region?.getAttribute("data-etag")).toBe('"v1"');
});

test("a value shows its size, how much was left out, and a link to the rest", () => {
  const value = {
    form: "reference",
    text: "ref:1",
    truncated: false,
    size: 1234,
    note: null,
    reference: "ref:1",
  } as const;
  const node = dom(<ValueView value={value} />);
  expect(node.text).toContain("1,234 characters");
  expect(node.querySelector("a")?.getAttribute("href")).toBe("/client-data-store/?reference=ref%3A1");
  expect(node.querySelector("pre")).toBeNull();
  const cut = dom(
    <ValueView value={{ ...value, form: "text", text: "\nab\u001b", truncated: true, reference: null }} />,
  );
  // Inside `code` a first line feed survives, which `pre` alone would swallow.
  expect(cut.querySelector("pre")?.innerHTML).toBe("<code>\nab␛</code>");
  expect(cut.text).toContain("only the start is shown");
});

test("the link of a runner has its whole id", () => {
  const node = dom(<RunnerName runner_id="a/b#c" />, "two/β");
  expect(node.querySelector("a")?.getAttribute("href")).toBe("/runners/a%2Fb%23c?app=two%2F%CE%B2");
});

describe("the fields of a filter form", () => {
  test("keep the pinned app", () => {
    const form = dom(
      <FilterForm path="/invocations/">
        <TextField name="id_prefix" label="Id" value={HOSTILE} />
      </FilterForm>,
      "two/β",
    );
    expect(form.querySelector("input[name=app]")?.getAttribute("value")).toBe("two/β");
    expect(form.querySelector("label")?.getAttribute("for")).toBe("filter-id_prefix");
    expect(form.querySelector("#filter-id_prefix")?.getAttribute("value")).toContain("<script>");
  });

  test("keep a chosen value that is no longer offered", () => {
    const node = dom(
      <SelectField name="task" label="Task" value="gone.task" options={[{ value: "", label: "Any" }]} />,
    );
    expect(node.querySelector("option[selected]")?.getAttribute("value")).toBe("gone.task");
  });

  test("are described by their error", () => {
    const node = dom(<NumberField name="size" label="Rows" value={9} error="At most 5" />);
    expect(node.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
    expect(node.querySelector("#filter-size-note")?.text).toBe("At most 5");
  });

  test("offer statuses, also unknown ones that were chosen", () => {
    const node = dom(<StatusField name="status" chosen={["failed", "odd"]} />);
    expect(node.querySelectorAll("input[checked]").map((box) => box.getAttribute("value"))).toEqual(["failed", "odd"]);
    expect(node.querySelectorAll("input")).toHaveLength(STATUSES.length + 1);
  });
});
