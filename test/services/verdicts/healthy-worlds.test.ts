/** Healthy random apps have no verdict; a planted cause has exactly one, and its harmless twin none. */
import { describe, expect, it } from "vitest";
import { cases } from "../../support/cases.ts";
import { DAY, type HealthyWorld, HOUR, healthyWorld } from "../../support/healthy-world.ts";
import type { MemoryApp, Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, verdictsOf } from "../../support/verdicts.ts";

const SEEDS = cases(60);

describe("a healthy random app", () => {
  it(`has no verdict, for ${SEEDS} seeds`, async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { app } = healthyWorld(seed);
      for (const { code, sentence, detail } of await verdictsOf(app))
        wrong.push(`${seed}: ${code}: ${sentence}. ${detail}`);
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});

interface Situation {
  code: string;
  /** Seconds before now in which the world around it has come to rest. */
  quiet?: number;
  settings?: Record<string, unknown>;
  /** @param wrong whether it is the cause or its twin, which is almost the same. */
  plant(world: HealthyWorld, wrong: boolean): void;
}

/** Invocations of a task of its own that ran one after the other. */
function ran(
  { app }: HealthyWorld,
  {
    from,
    to,
    count,
    seconds = 5,
    end = () => ["success"],
  }: { from: number; to: number; count: number; seconds?: number; end?: (n: number) => string[] },
): void {
  for (let n = 0; n < count; n++) {
    let time = from + ((to - from) * n) / count;
    const history: Step[] = [[time, "registered"]];
    for (const word of end(n)) {
      history.push([time + 0.5, "pending"], [time + 0.6, "running"], [time + 0.6 + seconds, word]);
      time += 0.7 + seconds;
    }
    app.invocation(`planted ${from} ${n}`, { task: "planted.task", history });
  }
}

const dayBefore = ({ now }: HealthyWorld) => ({ from: now - 25 * HOUR, to: now - HOUR, count: 300 });
const hour = ({ now }: HealthyWorld) => ({ from: now - HOUR + 120, to: now - 120, count: 60 });

function taken(app: MemoryApp, id: string, from: number, ...more: Step[]): void {
  app.invocation(id, {
    task: "planted.task",
    history: [[from - 2, "registered"], [from - 1, "pending"], [from, "running"], ...more],
  });
}

const SITUATIONS: readonly Situation[] = [
  {
    code: "failure_rate_up",
    plant(world, wrong) {
      ran(world, { ...dayBefore(world), end: (n) => [n % 40 === 0 ? "failed" : "success"] });
      ran(world, { ...hour(world), end: (n) => [n % (wrong ? 3 : 20) === 0 ? "failed" : "success"] });
    },
  },
  {
    code: "retries_exhausted",
    plant(world, wrong) {
      ran(world, dayBefore(world));
      ran(world, { ...hour(world), end: (n) => (wrong && n % 3 === 0 ? ["retry", "retry", "failed"] : ["success"]) });
    },
  },
  {
    code: "retry_storm",
    plant(world, wrong) {
      ran(world, { ...dayBefore(world), end: (n) => (n % 30 === 0 ? ["retry", "success"] : ["success"]) });
      ran(world, {
        ...hour(world),
        end: (n) => (n % (wrong ? 2 : 15) === 0 ? ["retry", "retry", "success"] : ["success"]),
      });
    },
  },
  {
    code: "slow_run",
    plant(world, wrong) {
      ran(world, { ...dayBefore(world), seconds: 40 });
      taken(world.app, "long", world.now - (wrong ? 130 : 110));
    },
  },
  {
    code: "queue_grows",
    plant({ app, now }, wrong) {
      for (let n = 0; n < 360; n++) {
        const time = now - 1_790 + n * 5;
        const left = wrong || n % 10 === 0;
        const more: Step[] = left
          ? []
          : [
              [time + 0.2, "pending"],
              [time + 0.3, "running"],
              [time + 2, "success"],
            ];
        app.invocation(`in ${n}`, {
          task: "planted.task",
          history: [[time, "registered"], ...more.filter(([at]) => at <= now)],
        });
        // Those that wait were put in lately: how long they wait is another verdict.
        if (left) app.message(`in ${n}`, now - 60);
      }
    },
  },
  {
    code: "app_silent",
    quiet: 2 * HOUR,
    plant({ app, now }, wrong) {
      // Something every four minutes.
      const last = now - (wrong ? 1_200 : 800);
      for (let time = last - 1.5 * DAY; time <= last; time += 240)
        taken(app, `tick ${time}`, time - 2, [time, "success"]);
    },
  },
  {
    code: "held_by_concurrency",
    plant({ app, now }, wrong) {
      const history: Step[] = [[now - 500, "registered"]];
      for (let time = now - (wrong ? 450 : 250); time < now - 20; time += 15) {
        history.push([time, "concurrency_controlled"], [time + 0.1, "rerouted"]);
      }
      app.invocation("held", { task: "planted.task", history }).message("held", now - 20);
    },
  },
  {
    code: "purge_before_read",
    settings: { auto_final_invocation_purge_hours: 2 },
    plant({ app, now }, wrong) {
      const from = now - 2 * HOUR + 300;
      taken(app, "parent", from - 100, [from + 1, "paused"]);
      app.invocation("child", {
        parent: "parent",
        task: "planted.task",
        history: [
          [from - 50, "registered"],
          [from - 40, "running"],
          [wrong ? from : from + 400, "success"],
        ],
      });
      taken(app, "other", now - 50);
      app.edge("parent", "other");
    },
  },
  {
    code: "running_on_dead_runner",
    plant({ app, now }, wrong) {
      app.runner("gone", { created: now - 2 * HOUR, last: now - (wrong ? 3_000 : 30) });
      app.invocation("lost", {
        task: "planted.task",
        history: [
          [now - 3_100, "registered"],
          [now - 3_090, "pending", "gone"],
          [now - 3_080, "running", "gone"],
        ],
      });
    },
  },
  {
    code: "stuck_pending",
    plant({ app, now }, wrong) {
      const from = now - (wrong ? 60 : 2);
      app.invocation("stuck", {
        task: "planted.task",
        history: [
          [from - 1, "registered"],
          [from, "pending"],
        ],
      });
    },
  },
  {
    code: "wait_cycle",
    plant({ app, now }, wrong) {
      for (const id of ["one", "two", "three"]) taken(app, id, now - 100, [now - 90, "paused"]);
      app.edge("one", "two").edge("two", "three");
      if (wrong) app.edge("three", "one");
      else
        app.change((rows) => {
          for (const row of rows.statuses) if (row.invocation_id === "three") row.status = "running";
        });
    },
  },
  {
    code: "waiting_in_no_queue",
    plant({ app, now }, wrong) {
      app.invocation("without", { task: "planted.task", history: [[now - 200, "registered"]] });
      if (!wrong) app.message("without", now - 200);
    },
  },
  {
    code: "schedule_overdue",
    plant({ app, now }, wrong) {
      app
        .condition(
          "late",
          { condition_type: "CronCondition", data: { cron_expression: "0 * * * *" } },
          wrong ? now - 3 * HOUR : now - 600,
        )
        .trigger("late", { task_id_key: "planted.task", condition_ids: ["late"] });
    },
  },
];

const PLANTED_SEEDS = cases(5);

describe("a cause planted in a healthy random app", () => {
  it.each(SITUATIONS.map((one) => [one.code, one] as const))(
    "has the verdict %s and no other, and its harmless twin has none",
    async (code, { quiet = 0, settings = {}, plant }) => {
      for (let seed = 1_001; seed <= 1_000 + PLANTED_SEEDS; seed++) {
        const [wrong, twin] = [healthyWorld(seed, { quiet, settings }), healthyWorld(seed, { quiet, settings })];
        plant(wrong, true);
        plant(twin, false);
        expect([seed, await codesOf(wrong.app.inOrder())]).toEqual([seed, [code]]);
        expect([seed, await codesOf(twin.app.inOrder())]).toEqual([seed, []]);
      }
    },
    60_000,
  );
});
