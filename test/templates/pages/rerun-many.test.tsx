/** The page that asks before calls are registered again: what can be selected, and when there is nothing to press. */
import { describe, expect, test } from "vitest";
import type { RerunCall, RerunManyPreview } from "../../../src/api/reruns.ts";
import { shownFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { RerunManyContent } from "../../../templates/pages/rerun-many.tsx";
import type { PageQuery } from "../../../templates/query.ts";
import { dom, HOSTILE, text } from "../render.tsx";

const AT = "2026-11-21T00:34:43.000123+00:00";

function call(invocation_id: string, changes: Partial<RerunCall> = {}): RerunCall {
  return {
    invocation_id,
    task_id_key: "tasks.add",
    call_id_key: "tasks.add:no_args",
    status: "failed",
    status_source: "orchestrator",
    final: true,
    retry_count: 0,
    registered_at: AT,
    status_at: AT,
    duration_seconds: 1.5,
    owner_runner_id: null,
    parent_invocation_id: null,
    workflow_id: null,
    arguments: null,
    exception: null,
    exception_type: null,
    arguments_line: "x=1",
    led_to: 0,
    rerun_as: null,
    refusal: null,
    ...changes,
  };
}

function preview(calls: RerunCall[], changes: Partial<RerunManyPreview> = {}): RerunManyPreview {
  const registered = calls.filter((one) => one.refusal === null).length;
  return {
    app_id: "shop",
    location: "shop.db",
    filter: shownFilter(NO_FILTER),
    matching: { total: calls.length, total_capped: false },
    limit: 1_000,
    all: false,
    force: false,
    taken: calls.length,
    registered,
    requeue_instead: [],
    refusals: [],
    called_again: 0,
    called_again_capped: false,
    called_again_by_task: [],
    matches_below: 0,
    left_out: 0,
    groups: [{ task_id_key: "tasks.add", exception_type: null, registered, refused: calls.length - registered }],
    calls,
    routes: [],
    notes: [],
    runners_alive: { takes_from: null, count: 0, runners: [] },
    refused: null,
    ...changes,
  };
}

const page = (model: RerunManyPreview, query: PageQuery = { status: ["failed"] }) => (
  <RerunManyContent model={model} path="/invocations/rerun" query={query} now={AT} readOnly={false} />
);

describe("the selection of calls to rerun", () => {
  test("lists each call that would be registered, selects all of them at first, and keeps the filter", () => {
    const model = preview([call("a"), call("b", { refusal: "no definition is stored" }), call("c")]);
    const form = dom(page(model, { status: ["failed"], limit: ["5"], force: ["1"], selected: ["old"] })).querySelector(
      "form.confirm-form",
    );
    const fields = form
      ?.querySelectorAll("input")
      .map((input) => [input.getAttribute("name"), input.getAttribute("value"), input.hasAttribute("checked")]);
    expect(fields?.filter(([name]) => name !== undefined)).toEqual([
      ["status", "failed", false],
      ["limit", "5", false],
      ["force", "1", false],
      ["selected", "a", true],
      ["selected", "c", true],
      // A form in which every box is cleared still says that there was a choice.
      ["selected", "", false],
      ["app_id", "shop", false],
    ]);
    expect(form?.querySelector("button[type=submit]")?.text).toBe("Rerun the selected calls");
    expect(form?.querySelector("tbody .mark-warn")?.getAttribute("title")).toBe("no definition is stored");
  });

  test("is left out when more would be registered than are listed: the button is for all of them", () => {
    const model = preview([call("a"), call("b")], { taken: 2_000, registered: 2_000 });
    const content = dom(page(model));
    expect(content.querySelectorAll("input[name=selected]")).toEqual([]);
    expect(content.querySelector("button[type=submit]")?.text).toBe("Rerun 2,000 calls");
    expect(content.text).toContain("only the first 2 are listed");
  });
});

describe("the button of a rerun of many", () => {
  test("is left out when nothing matches", () => {
    const content = dom(page(preview([])));
    expect(content.querySelectorAll("form, button[type=submit]")).toEqual([]);
    expect(content.text).toContain("Nothing matches, so there is nothing to rerun.");
    expect(content.text).not.toContain("include every match");
  });

  test("is left out when every call is refused, and the list shows the reasons", () => {
    const refused = "every call is refused, 1 because no definition is stored";
    const content = dom(page(preview([call("a", { refusal: "no definition is stored" })], { refused })));
    expect(content.querySelectorAll("form, button[type=submit], input[name=selected]")).toEqual([]);
    expect(content.text).toContain(refused);
    expect(content.querySelector("tbody")?.text).toContain("x=1");
  });
});

describe("the list of a rerun of many", () => {
  const BELOW: Partial<RerunManyPreview> = {
    called_again: 3,
    called_again_by_task: [
      { task_id_key: "tasks.a", calls: 2, succeeded: 1 },
      { task_id_key: "tasks.b", calls: 1, succeeded: 0 },
    ],
  };

  test("says which matches are left out, and links to the other choice and back", () => {
    const query = { status: ["failed"], force: ["1"] };
    const topmost = dom(page(preview([call("a", { led_to: 3 })], { ...BELOW, matches_below: 3, left_out: 2 }), query));
    const other = (content: typeof topmost) =>
      content.querySelectorAll(".bullets a").map((a) => a.getAttribute("href"))[0];
    expect(other(topmost)).toBe("/invocations/rerun?status=failed&force=1&all=1");
    expect(topmost.text).toContain("3 matches are left out: these led to them");
    expect(topmost.text).toContain("2 matches are left out although the calls that led to them are not registered");
    expect(topmost.text).toContain("Calls again: 3 calls below, if they run as before. 1 had succeeded: 1 of tasks.a.");
    expect(topmost.querySelector("tbody td.end")?.text).toBe("3");
    const every = dom(page(preview([call("a")], { all: true }), { ...query, all: ["1"] }));
    expect(other(every)).toBe("/invocations/rerun?status=failed&force=1");
    expect(every.text).toContain("Every match is included");
  });

  test("uses the singular for one call", () => {
    const words = text(page(preview([call("a")], { matches_below: 1 })));
    expect(words).toContain("1 invocation matches the filter");
    expect(words).toContain("1 match is left out: these led to it");
    expect(words).toContain("1 call would be registered");
  });

  test("is open when it is short, and closed by group when it is long", () => {
    const many = Array.from({ length: 41 }, (_, n) => call(`i${n}`, { task_id_key: n < 40 ? "tasks.add" : "tasks.b" }));
    const groups = [
      { task_id_key: "tasks.add", exception_type: null, registered: 40, refused: 0 },
      { task_id_key: "tasks.b", exception_type: null, registered: 1, refused: 0 },
    ];
    const open = (model: RerunManyPreview) =>
      dom(page(model))
        .querySelectorAll(".call-group details")
        .map((details) => details.hasAttribute("open"));
    expect(open(preview(many, { groups }))).toEqual([false, false]);
    expect(open(preview(many.slice(1), { groups }))).toEqual([true, true]);
    expect(open(preview(many.slice(0, 40)))).toEqual([true]);
  });

  test("shows hostile stored text as text", () => {
    const hostile = call(HOSTILE, { task_id_key: HOSTILE, exception_type: HOSTILE, arguments_line: HOSTILE });
    const groups = [{ task_id_key: HOSTILE, exception_type: HOSTILE, registered: 1, refused: 0 }];
    const content = dom(page(preview([hostile], { groups }), { status: [HOSTILE] }));
    expect(content.querySelectorAll("script, img, svg[onload]")).toEqual([]);
    expect(content.querySelector("input[type=checkbox][name=selected]")?.getAttribute("value")).toBe(HOSTILE);
  });
});

test("a call that was already rerun says as what, and is not selected", () => {
  const model = preview([call("a", { rerun_as: "new-run" }), call("b")], {
    groups: [{ task_id_key: "tasks.add", exception_type: null, registered: 2, refused: 0 }],
  });
  const page = dom(<RerunManyContent model={model} path="/invocations/rerun" query={{}} now={AT} readOnly={false} />);
  expect(page.textContent).toContain("rerun as new-run");
  const boxes = [...page.querySelectorAll("input[type=checkbox][name=selected]")];
  expect(boxes.map((box) => [box.getAttribute("value"), box.hasAttribute("checked")])).toEqual([
    ["a", false],
    ["b", true],
  ]);
});
