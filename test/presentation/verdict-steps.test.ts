import { expect, test } from "vitest";
import type { Evidence } from "../../src/api/verdicts.ts";
import { createLinks } from "../../src/presentation/links.ts";
import { withSteps } from "../../src/presentation/verdict-steps.ts";
import type { FoundVerdict } from "../../src/services/verdicts/verdicts.ts";

const AT = "2026-11-21T00:37:09.000000+00:00";

function firstStep(code: FoundVerdict["code"], kind: Evidence["kind"], ids: string[]) {
  const evidence = ids.map((id) => ({ kind, id, role: null }));
  const verdict: FoundVerdict = {
    ...{ code, severity: "warning", sentence: "s", detail: "", since: AT, evidence, count: ids.length },
    muted_until: null,
  };
  return withSteps(createLinks(null), { verdicts: [verdict] }).verdicts[0]?.next[0];
}

test("the first action about one invocation leads to its page, and about several to their list", () => {
  expect(firstStep("stuck_pending", "invocation", ["a"])).toEqual({
    label: "Show invocation",
    path: "/invocations/a",
    command: "monitor show a",
  });
  expect(firstStep("stuck_pending", "invocation", ["a", "b"])).toMatchObject({
    label: "Show invocations",
    path: "/invocations/?inv_ids=a&inv_ids=b",
  });
});

test("the first action about messages of one queue leads to this queue, and about several to all of them", () => {
  expect(firstStep("old_message", "queue", ["my mail"])).toEqual({
    label: "Show queue",
    path: "/broker/queue?queue=my%20mail",
    command: "monitor queue --queue 'my mail'",
  });
  expect(firstStep("old_message", "queue", ["a", "b"])).toMatchObject({
    path: "/broker/queue",
    command: "monitor queue",
  });
});
