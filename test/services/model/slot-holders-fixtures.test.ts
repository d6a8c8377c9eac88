/** An invocation that a real runner of pynenc 0.2.3 held back for more than six minutes, while another with its key ran. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationDetail } from "../../../src/api/invocations.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { epochFromIso } from "../../../src/pynenc/time.ts";
import { fixturePath, temporaryFolder } from "../../support/fixtures.ts";
import { type Monitor, monitorAt } from "../../support/monitor.ts";

const ID = "739f1979-8af3-4782-acb4-b12c6065998d";
const HOLDER = "3517baa5-f6d1-496f-afcc-55de52222620";

describe("an invocation that was held back 1,351 times", () => {
  const folder = temporaryFolder();
  let monitor: Monitor;
  let detail: InvocationDetail;

  beforeAll(async () => {
    const path = join(folder.path, "held.db");
    copyFileSync(fixturePath("cases/held_cc_023.db"), path);
    const now = epochFromIso("2026-11-27T07:09:07Z") ?? 0;
    monitor = await monitorAt(path, "in process", { now }, () => folder.remove());
    detail = await monitor.json<InvocationDetail>(`/invocations/${ID}/api`);
  });
  afterAll(() => monitor.close());

  it("has been held back since the first time, not since the start of a window", () => {
    expect(detail.slot).toMatchObject({ since: "2026-11-27T07:02:38.084157+00:00", times: 1_351, times_exact: true });
  });

  it("has the invocation with its key as its holder, then and now, and not the one with another key", () => {
    expect(detail.slot?.holders).toMatchObject([
      { invocation_id: HOLDER, ran_then: true, runs_now: true, shares: "some_arguments", shared_arguments: ["k"] },
    ]);
  });

  it("has the same start and holder in why, whose chain says how many more entries there are", async () => {
    const { verdict, chain } = await monitor.json<WhyAnswer>(`/why?id=${ID}`);
    expect(verdict).toMatchObject({ code: "held_by_concurrency", since: detail.slot?.since });
    expect(verdict?.evidence).toContainEqual({ kind: "invocation", id: HOLDER, role: "probably holds its slot" });
    for (const words of detail.slot?.sentences ?? []) expect(verdict?.detail).toContain(words);
    expect(chain.map(({ sentence }) => sentence)).toContain("at least 187 more of these");
  });

  it("has the same sentences on its page", async () => {
    const page = await monitor.text(`/invocations/${ID}`);
    for (const words of detail.slot?.sentences ?? []) expect(page).toContain(words);
  });
});
