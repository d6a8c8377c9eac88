/** Verdicts on queues without a consumer and on messages that wait for long. */
import { describe, expect, it } from "vitest";
import type { QueueHealth } from "../../../src/api/health.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { Idle, OldestMessage } from "../../../src/services/model/waiting-place.ts";
import { queueFindings } from "../../../src/services/verdicts/queues.ts";
import { at } from "../../support/memory-app/memory-app.ts";

/** One young message waits in it, and nobody takes from it. */
const queue = (queue_name: string | null, given: Partial<QueueHealth> = {}): QueueHealth => ({
  queue_name,
  messages: 1,
  waiting: 1,
  finished: 0,
  oldest_queued_at: isoFromEpoch(at(50)),
  oldest_seconds: 10,
  active_consumers: 0,
  declared: true,
  health: "not_consumed",
  ...given,
});

const verdicts = (
  queues: readonly QueueHealth[],
  active = 1,
  {
    idle = null,
    oldest = null,
    ...given
  }: { runners_known?: boolean; unreachable?: string; idle?: Idle | null; oldest?: OldestMessage | null } = {},
) =>
  queueFindings({
    queues: {
      ...{
        messages: queues.reduce((sum, { messages }) => sum + messages, 0),
        queues: [...queues],
        named: true,
        complete: true,
        note: null,
        next: [],
        stranded: [],
        messages_unread: false,
      },
      ...{ runners_known: true, unreachable: null, ...given },
    },
    active,
    last_heard: null,
    idle,
    oldest,
  });

describe("messages that no runner takes", () => {
  it("have a verdict with their number and their queue", () => {
    const [verdict, ...others] = verdicts([queue("mail", { waiting: 3 }), queue("empty", { messages: 0, waiting: 0 })]);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "unconsumed_queue",
      severity: "error",
      count: 3,
      evidence: [{ kind: "queue", id: "mail", role: null }],
      since: at(50),
    });
    expect(verdict?.sentence).toMatch(/^3 messages waiting in queue mail /);
    expect(verdict?.detail).toMatch(/^1 runner active, but it takes from other queues \(runner\.queues\)\. /);
    expect(verdicts([queue("mail")], 2)[0]?.sentence).toMatch(/^1 message waiting in queue mail /);
    expect(verdicts([queue("mail")], 2)[0]?.detail).toMatch(/^2 runners active, but they take from other queues /);
  });

  it("in several queues have one verdict with the name and number of each", () => {
    const [verdict, ...others] = verdicts([queue("mail", { waiting: 3 }), queue("archive", { waiting: 2 })]);
    expect(others).toEqual([]);
    expect(verdict?.count).toBe(5);
    expect(verdict?.sentence).toMatch(/^5 messages waiting in 2 queues /);
    expect(verdict?.detail).toContain("other queues (runner.queues): mail (3), archive (2). ");
  });

  it("in many queues have a verdict with at most ten names and the number of further queues", () => {
    const named = (count: number) => verdicts(Array.from({ length: count }, (_, n) => queue(`q${n}`)))[0]?.detail;
    expect(named(10)).toMatch(/: q0 \(1\), .*, q9 \(1\)\. /);
    expect(named(11)).toMatch(/, q9 \(1\) and 1 more queue\. /);
    expect(named(12)).toMatch(/, q9 \(1\) and 2 more queues\. /);
  });

  it("in a queue without a name have a verdict that names none, where only the processes of a silent runner are active", () => {
    const [verdict, ...others] = verdicts([{ ...queue("mail", { waiting: 2 }), queue_name: null }]);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "unconsumed_queue", severity: "error", evidence: [] });
    expect(verdict?.sentence).toBe("2 messages waiting and no active runner takes messages");
    expect(verdict?.detail).toContain("takes no messages, as the processes of a ProcessRunner do. ");
  });

  it("have one verdict for all queues without an active runner, and none if the runners are unknown", () => {
    const filled = [queue("mail", { waiting: 2 }), queue("adhoc", { health: "not_configured", declared: false })];
    const told = verdicts(filled, 0);
    expect(told).toMatchObject([{ code: "unconsumed_queue", severity: "error", count: 3 }]);
    expect(told[0]?.sentence).toMatch(/^3 messages .* no active runner$/);
    expect(verdicts([queue("mail", { health: "unknown" })], 0, { runners_known: false })).toEqual([]);
    expect(verdicts([queue("mail", { messages: 0, waiting: 0 })], 0)).toEqual([]);
  });
});

describe("messages in a queue that is not declared", () => {
  const undeclared = (name: string, given: Partial<QueueHealth> = {}) =>
    queue(name, { health: "not_configured", declared: false, ...given });

  it("have a verdict unless a runner names the queue", () => {
    const told = verdicts([undeclared("adhoc", { waiting: 2 }), undeclared("odd"), queue("mail")]);
    expect(told.map(({ code, severity, count }) => [code, severity, count])).toEqual([
      ["unconsumed_queue", "error", 1],
      ["undeclared_queue", "error", 3],
    ]);
    expect(told[1]?.sentence).toMatch(/^3 messages waiting in 2 queues, .*broker\.queues/);
    expect(told[1]?.detail).toContain("no active one does: adhoc (2), odd (1). ");
    expect(verdicts([undeclared("adhoc")])[0]?.sentence).toMatch(/^1 message waiting in queue adhoc, /);
    expect(verdicts([undeclared("adhoc", { active_consumers: 1 })])).toEqual([]);
  });
});

describe("a message that waits for long", () => {
  const late = (name: string | null, given: Partial<QueueHealth> = {}): QueueHealth =>
    queue(name, { oldest_queued_at: isoFromEpoch(at(0)), oldest_seconds: 660, health: "unknown", ...given });

  it("has a verdict in an undeclared queue with a consumer too, and with unknown consumers", () => {
    const words = (one: QueueHealth) =>
      verdicts([one]).map(({ sentence, detail }) => [sentence, detail.split(". ")[0]]);
    const sentence = "Long wait in queue mail";
    expect(words(late("mail", { declared: false, health: "not_configured", active_consumers: 1 }))).toEqual([
      [sentence, "1 active runner takes from it."],
    ]);
    expect(verdicts([late("mail")]).map((one) => [one.sentence, one.detail])).toEqual([
      [sentence, "Whether an active runner takes from it is not known."],
    ]);
  });

  it("for more than 5 min has a verdict on the oldest one, with the number of all", () => {
    const taken = (name: string | null, age: number, active_consumers = 2) =>
      late(name, {
        health: "consuming",
        active_consumers,
        oldest_seconds: age,
        oldest_queued_at: isoFromEpoch(at(600 - age)),
      });
    expect(verdicts([taken("mail", 300)], 2)).toEqual([]);
    expect(verdicts([taken("mail", 301)], 2)).toMatchObject([
      { code: "old_message", severity: "warning", since: at(299) },
    ]);
    const [verdict] = verdicts([taken("young", 400), taken("old", 500), taken("middle", 450)], 2);
    expect([verdict?.count, verdict?.sentence]).toEqual([3, "Long wait in queue old"]);
    expect(verdict?.detail).toMatch(/^2 active runners take from it\.$/);
  });

  it("in a queue of an idle runner has a verdict that does not call all runners busy", () => {
    const taken = late("mail", { health: "consuming", active_consumers: 2 });
    const idle = (takes: boolean | null): Idle => [{ runner_id: "1a2b3c4d5e", queues: [], takes }];
    expect(verdicts([taken], 2, { idle: idle(true) })[0]?.detail).toBe(
      "2 active runners take from it; idle now: 1a2b3c4d. 1a2b3c4d has not taken it; the reason is not known.",
    );
    expect(verdicts([taken], 2, { idle: idle(null) })[0]?.detail).toBe("2 active runners take from it.");
    expect(verdicts([taken], 2, { idle: idle(false) })[0]?.detail).toMatch(
      /none is idle\. 1 other active runner is idle, .* Naming this queue in the runner\.queues of the idle runners would help\.$/,
    );
    expect(verdicts([taken], 2, { idle: [] })[0]?.detail).toBe(
      "2 active runners take from it; none is idle. More runners that take from it, or shorter runs, would help.",
    );
  });

  it("names the oldest message, its place, and the idle runner that has not taken it", () => {
    const taken = late("mail", { health: "consuming", active_consumers: 2 });
    const idle: Idle = [{ runner_id: "1a2b3c4d5e", queues: [], takes: true }];
    const message = (ahead: number): OldestMessage => ({
      ...{ invocation_id: "i", task_id_key: "shop.send", ahead, sentence: "It is in queue mail with priority -5; …." },
    });
    const [behind] = verdicts([taken], 2, { idle, oldest: message(3) });
    expect(behind?.detail).toBe(
      "The oldest message is for shop.send. It is in queue mail with priority -5; …. 2 active runners take from it; idle now: 1a2b3c4d. 1a2b3c4d has taken none of these messages; the reason is not known.",
    );
    expect(behind?.evidence).toEqual([
      { kind: "queue", id: "mail", role: null },
      { kind: "invocation", id: "i", role: "oldest" },
      { kind: "runner", id: "1a2b3c4d5e", role: "idle, takes from it" },
    ]);
    expect(verdicts([taken], 2, { idle, oldest: message(0) })[0]?.detail).toContain(
      "idle now: 1a2b3c4d. 1a2b3c4d has not taken it; the reason is not known.",
    );
  });

  it("in the queue without a name has a verdict on all active runners", () => {
    const [verdict] = verdicts([late(null, { health: "consuming", active_consumers: 1 })], 1);
    expect(verdict?.sentence).toBe("Long wait in the queue");
    expect(verdict?.detail).toMatch(/^1 active runner takes from it\.$/);
  });
});

it("an unreachable queue is the only verdict of all on queues", () => {
  expect(verdicts([queue("mail")], 0, { unreachable: "The broker is away." })).toMatchObject([
    { code: "unreachable_queue", severity: "error", detail: "The broker is away.", count: 1 },
  ]);
});
