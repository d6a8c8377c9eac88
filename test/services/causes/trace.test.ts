/** The causal trace against the fixtures' facts. Generated graphs are in trace-properties.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { traceOfAny } from "../../../src/services/causes/trace.ts";
import { FACTS, FIXTURE_NAMES } from "../../support/fixtures.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

interface TraceFacts {
  code: string;
  invocations: string[];
  events: string[];
  trigger_runs: string[];
}

const DOWN = { direction: "down", limit: 5_000 } as const;

describe.each(FIXTURE_NAMES)("%s", (fixture) => {
  describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
    const traces = Object.entries((facts as unknown as { traces?: Record<string, TraceFacts> }).traces ?? {});
    let monitor: Monitor;
    beforeAll(async () => {
      monitor = await monitorOf(fixture, "in process", { app: appId });
    });
    afterAll(() => monitor.close());

    it.runIf(traces.length > 0).each(traces)(
      "event %s reaches exactly what the facts say",
      async (eventId, expected) => {
        const found = await traceOfAny(await monitor.workspace.open(), eventId, DOWN);
        expect({
          invocations: found.invocations.map((row) => row.invocation_id).sort(),
          events: found.events.map((event) => event.event_id).sort(),
          trigger_runs: found.trigger_runs.map((run) => run.trigger_run_id).sort(),
        }).toEqual({
          invocations: [...expected.invocations].sort(),
          events: [...expected.events].sort(),
          trigger_runs: [...expected.trigger_runs].sort(),
        });
        expect(found.truncated).toBe(false);
      },
    );

    const reached = traces.flatMap(([eventId, { invocations, trigger_runs }]) =>
      [...invocations, ...trigger_runs].map((id) => ({ eventId, id })),
    );
    it.runIf(reached.length > 0)(
      "is the same upwards: whatever an event reaches names the event as a cause",
      async () => {
        const app = await monitor.workspace.open();
        for (const { eventId, id } of reached) {
          const up = await traceOfAny(app, id, { direction: "up", limit: 5_000 });
          expect([id, up.events.map((event) => event.event_id)]).toEqual([id, expect.arrayContaining([eventId])]);
        }
      },
    );
  });
});
