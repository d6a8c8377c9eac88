/**
 * Apps in which nothing is wrong, by chance: runners that live, tasks with rates, durations, failures and retries of their own, families, a queue in
 * motion, short holds by concurrency control, a runner that died long ago, schedules that come true. Situations are planted into them.
 */
import type { MemoryApp, Step } from "./memory-app/memory-app.ts";
import { at } from "./memory-app/memory-app.ts";
import { healthyApp } from "./verdicts.ts";

export const HOUR = 3_600;
export const DAY = 24 * HOUR;

export interface HealthyWorld {
  app: MemoryApp;
  now: number;
  random: Random;
}

export type Random = () => number;

/** Mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param quiet seconds before now in which nothing happens any more: everything has ended by then. */
export function healthyWorld(
  seed: number,
  { quiet = 0, settings = {} }: { quiet?: number; settings?: Record<string, unknown> } = {},
): HealthyWorld {
  const random = randomOf(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1));
  const now = at(30 * HOUR + whole(0, 10_000));
  const app = healthyApp({ now, settings });
  const runners = ["r1"];
  const others = whole(0, 3);
  for (let n = 2; n <= 1 + others; n++) {
    runners.push(`r${n}`);
    app.runner(`r${n}`, { created: now - between(100, 2 * DAY), last: now - between(0, 20) });
  }
  app.runner("died", { created: at(0), last: at(5 * HOUR) });
  const someone = () => runners[whole(0, runners.length - 1)] ?? "r1";
  // Three in a row tell a rhythm: each was met within the turn after it was due.
  if (quiet === 0) {
    const due = Math.floor((now - 400) / 600) * 600;
    app
      .condition(
        "ten",
        { condition_type: "CronCondition", data: { cron_expression: "*/10 * * * *" } },
        due + between(0, 200),
      )
      .trigger("report", { task_id_key: "shop.report", condition_ids: ["ten"] });
  }

  let made = 0;
  /** What has happened of it by now. */
  const live = (task: string, history: readonly Step[], parent?: string): { id: string; last: string } => {
    const id = `${task}-${made++}`;
    const past = history.filter(([time]) => time <= now);
    const [time, last] = past.at(-1) ?? [now, ""];
    if (past.length === 0 || (quiet > 0 && (history.at(-1)?.[0] ?? now) > now - quiet)) return { id, last: "" };
    app.invocation(id, {
      task,
      history: past,
      ...(parent === undefined ? {} : { parent }),
      ...(last === "failed" ? { exception: JSON.stringify({ type: "ValueError", message: "no such thing" }) } : {}),
    });
    if (["registered", "rerouted", "retry"].includes(last)) app.message(id, time);
    return { id, last };
  };

  const tasks = whole(1, 4);
  for (let n = 0; n < tasks; n++) {
    const task = `shop.task${n}`;
    const count = whole(20, 250);
    const [median, spread] = [10 ** between(-2, 1.3), between(0.1, 0.9)];
    const [fails, retries, held, nests] = [between(0, 0.12), between(0, 0.2), between(0, 0.1), between(0, 0.4)];
    const lasts = () => {
      // A sum of uniform numbers is about normal.
      const normal = random() + random() + random() + random() + random() + random() - 3;
      return median * Math.exp(spread * normal * Math.SQRT2);
    };
    const begin = now - between(1, 30) * HOUR;
    const times = Array.from({ length: count }, () => begin + random() * (now - begin));
    if (random() < 0.3) for (let k = 0; k < 15; k++) times.push(now - between(1, 3) * HOUR + k);
    for (const from of times) {
      const runner = someone();
      const history: Step[] = [[from, "registered"]];
      let time = from;
      const after = (seconds: number) => {
        time += seconds;
        return time;
      };
      for (let k = random() < held ? whole(1, 4) : 0; k > 0; k--) {
        history.push([after(between(0.1, 5)), "concurrency_controlled", runner]);
        history.push([after(0.01), "rerouted", runner]);
      }
      const take = (by: string) => {
        history.push([after(between(0.01, 3)), "pending", by], [after(between(0.001, 0.2)), "running", by]);
      };
      if (random() < 0.02 && from < at(4 * HOUR)) {
        take("died");
        time = at(5 * HOUR) + 900;
        history.push([time, "running_recovery", runner], [after(0.1), "rerouted", runner]);
      }
      take(runner);
      for (let k = 0; k < 3 && random() < retries; k++) {
        history.push([after(lasts()), "retry", runner]);
        take(runner);
      }
      if (random() < nests) {
        // It calls another one, waits for it, and goes on.
        const [called, taken] = [time + lasts() / 2, between(0.1, 3)];
        const ran = called + taken + lasts();
        const child: Step[] = [
          [called, "registered", runner],
          [called + taken / 2, "pending", someone()],
          [called + taken, "running"],
          [ran, random() < fails ? "failed" : "success"],
        ];
        history.push([called + 0.01, "paused", runner], [ran + 0.2, "running", runner]);
        time = ran + 0.2;
        const whoRuns = child[1]?.[2] ?? runner;
        history.push([after(lasts()), "success", runner]);
        const parent = live(task, history);
        const { id, last } = live(
          `${task}_child`,
          child.map(([when, status, by]) => [when, status, by ?? whoRuns]),
          parent.id,
        );
        if (parent.last === "paused" && last !== "" && last !== "success" && last !== "failed") app.edge(parent.id, id);
        continue;
      }
      history.push([after(lasts()), random() < fails ? "failed" : "success", runner]);
      live(task, history);
    }
  }
  return { app, now, random };
}
