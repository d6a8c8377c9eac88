import { RECOVERY_TASKS } from "../../src/pynenc/identifiers.ts";
import { trendFacts } from "../../src/services/verdicts/read-trends.ts";
import { type FoundVerdict, findVerdicts } from "../../src/services/verdicts/verdicts.ts";
import { type MemoryApp, type MemoryAppOptions, memoryApp } from "./memory-app/memory-app.ts";

/** All figures over time are read for them. */
export async function verdictsOf(app: MemoryApp): Promise<FoundVerdict[]> {
  const trends = await trendFacts(app.opened, 60_000);
  return app.store.read((reads) => findVerdicts(app.opened, reads, trends));
}

export async function codesOf(app: MemoryApp): Promise<string[]> {
  return (await verdictsOf(app)).map(({ code }) => code);
}

/** The recovery as runners register it when they start. */
export function withRecovery(app: MemoryApp): MemoryApp {
  for (const [status, task_id_key] of Object.entries(RECOVERY_TASKS))
    app.trigger(`recovery of ${status}`, { task_id_key, condition_ids: ["cron_*/5 * * * *"] });
  return app;
}

/** Nothing looks wrong in it: a runner is active, takes turns in the atomic service since long ago, and the recovery is registered. */
export function healthyApp(options: MemoryAppOptions & { now: number }): MemoryApp {
  const app = withRecovery(memoryApp(options));
  return app.runner("r1", { created: options.now - 86_400, last: options.now });
}
