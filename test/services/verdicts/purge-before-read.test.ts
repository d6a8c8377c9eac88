/** Results that an auto-purge deletes while a parent still waits. */
import { expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

/** A child ended at 100 s; its parent waits for another one since 50 s. The setting is one hour. */
function family({
  now = at(3_200),
  settings = { auto_final_invocation_purge_hours: 1 },
  waits = true,
  ended = "success",
}: {
  now?: number;
  settings?: Record<string, unknown>;
  waits?: boolean;
  ended?: string;
} = {}): MemoryApp {
  const running = (from: number): Step[] => [
    [from, "registered"],
    [from + 1, "pending"],
    [from + 2, "running"],
  ];
  const app = healthyApp({ now, settings })
    .invocation("parent", { task: "shop.order", history: [...running(at(0)), [at(50), "paused"]] })
    .invocation("child", {
      parent: "parent",
      history: [...running(at(10)), ...(ended === "" ? [] : [[at(100), ended] as const])],
    })
    .invocation("other", { parent: "parent", history: running(at(20)) });
  return waits ? app.edge("parent", "other") : app;
}

it("a result that an auto-purge takes within ten minutes has a verdict while its parent waits", async () => {
  const [verdict, ...others] = await verdictsOf(family());
  expect(others).toEqual([]);
  expect(verdict).toMatchObject({
    code: "purge_before_read",
    severity: "warning",
    sentence: "1 result may be purged in 8 min, while 1 parent still runs and waits",
    since: isoFromEpoch(at(3_100)),
    evidence: [
      { kind: "invocation", id: "parent", role: "waits" },
      { kind: "invocation", id: "child", role: "may be purged" },
    ],
  });
  expect((await verdictsOf(family({ now: at(4_000) })))[0]?.sentence).toContain("at the next auto-purge");
});

it("a result has no verdict earlier than that, without a waiting parent, while unfinished, or with an unknown setting", async () => {
  expect(await codesOf(family({ now: at(3_099) }))).toEqual([]);
  expect(await codesOf(family({ waits: false }))).toEqual([]);
  expect(await codesOf(family({ ended: "" }))).toEqual([]);
  expect(await codesOf(family({ now: at(24 * 3_600), settings: {} }))).not.toContain("purge_before_read");
});

it("the verdict counts at least 100 parents if more of them wait than are examined", async () => {
  const parents = async (count: number) => {
    const app = healthyApp({ now: at(3_200), settings: { auto_final_invocation_purge_hours: 1 } });
    app.invocation("awaited", { history: [[at(20), "registered"]] }).message("awaited", at(20));
    for (let n = 0; n < count; n++) {
      const history: Step[] = [
        [at(0), "registered"],
        [at(1), "running"],
        [at(50), "paused"],
      ];
      app.invocation(`parent${n}`, { history }).edge(`parent${n}`, "awaited");
      app.invocation(`child${n}`, {
        parent: `parent${n}`,
        history: [
          [at(10), "registered"],
          [at(100), "success"],
        ],
      });
    }
    const found = await verdictsOf(app);
    return found.find(({ code }) => code === "purge_before_read")?.sentence;
  };
  expect(await parents(100)).toContain("while 100 parents still run and wait");
  expect(await parents(101)).toContain("while at least 100 parents still run and wait");
});
