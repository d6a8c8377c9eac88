/** The document of a trigger run: its links, its shortened ids, and what it has of deleted invocations. */
import { describe, expect, it } from "vitest";
import { triggerRunApi } from "../../../src/http/legacy/trigger-run.ts";
import { createLinks } from "../../../src/presentation/links.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { EVENT_CONDITION, validEvent } from "../../support/valid-event.ts";

describe("the legacy JSON of a trigger run", () => {
  it("links only things that have a page", async () => {
    const app = memoryApp()
      .trigger("t1")
      .condition("c", JSON.parse(EVENT_CONDITION))
      .validCondition("v", validEvent("e"))
      .triggerRun("run", {
        triggered_invocation_id: "i",
        participants: [
          { event_id: "e", condition_id: "c", valid_condition_id: "v" },
          { event_id: "e2", condition_id: "gone", valid_condition_id: "cleared", context_summary: "code:paid" },
        ],
      });
    const json = await triggerRunApi(app.opened, "run", createLinks(null));
    expect(json).toMatchObject({
      show_participant_event_column: true,
      show_participant_source_column: false,
      timeline_url: expect.stringMatching(/^\/invocations\/timeline\?start_date=2026-/),
      trigger_registered: true,
      truncated: false,
    });
    expect(json.condition_details.map((view) => [view.id, view.available, view.detail_url])).toEqual([
      ["c", true, "/trigger-runs/condition?condition_id=c"],
      ["gone", false, null],
    ]);
    expect(json.participants).toMatchObject([
      {
        condition_view: { detail_url: "/trigger-runs/condition?condition_id=c", type: "EventCondition" },
        context_view: { available: true, source: "live" },
        valid_condition_view: { available: true, detail_url: "/trigger-runs/valid-condition?valid_condition_id=v" },
      },
      {
        condition_view: { detail_url: null, available: false },
        context_view: { available: true, source: "snapshot", summary: "code:paid" },
        valid_condition_view: { available: false, detail_url: null },
      },
    ]);
  });

  it("shortens long ids in the middle", async () => {
    const long = `condition#${"x".repeat(40)}#end`;
    const app = memoryApp().triggerRun("run", { participants: [{ event_id: "e", condition_id: long }] });
    const [participant] = (await triggerRunApi(app.opened, "run", createLinks(null))).participants;
    expect(participant).toMatchObject({ condition_view: { id_short: `${long.slice(0, 22)}...${long.slice(-12)}` } });
    expect(participant).toMatchObject({ valid_condition_view: { id: null, id_short: null } });
  });

  it("describes a deleted invocation by the copy in the trigger run", async () => {
    const app = memoryApp()
      .invocation("here", { history: [[at(0), "registered"]] })
      .triggerRun("run", {
        participants: ["here", "gone"].map((source_invocation_id) => ({
          source_invocation_id,
          context_summary: "status:FAILED task:shop.ship",
        })),
      });
    const json = await triggerRunApi(app.opened, "run", createLinks(null));
    expect(json.show_participant_source_column).toBe(true);
    expect(json.invocation_summaries).toMatchObject({
      here: { status: "registered", task_id_key: "shop.pay" },
      gone: { status: "failed", task_id_key: "shop.ship", func_name: "ship" },
    });
  });
});
