import { beforeAll, expect, it } from "vitest";
import { appVerdicts, detail, epoch, secondsIn, why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";
import { RECOVERY_ONCE } from "../world.ts";

interface StatsRow {
  task_id_key: string;
  registered: number;
  started: number;
  finished: number;
  failed: number;
  retries: number;
  run: { count: number };
}

interface Group {
  task_id_key: string;
  type: string | null;
  message: string | null;
  query: string | null;
  count: number;
  failed: number;
  retries: number;
  invocation_ids: string[];
}

scenario(
  {
    story: "Tasks are retried: some until they succeed, some until their retries are used up, and one fails at once",
    core: true,
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let once = "";
    let twice = "";
    let exhausted: string[] = [];
    let insistent = "";
    let failed = "";
    let well = "";

    beforeAll(async () => {
      world().runner({ threads: 2 });
      await world().recovered();
      once = await world().call("flaky", { order: "ORD-1", good_at: 2 });
      twice = await world().call("flaky", { order: "ORD-2", good_at: 3 });
      exhausted = [
        await world().call("flaky", { order: "ORD-3", good_at: 99 }),
        await world().call("flaky", { order: "ORD-4", good_at: 99 }),
      ];
      insistent = await world().call("insists", { order: "ORD-6" });
      failed = await world().call("fails");
      well = await world().call("ok", { order: "ORD-5" });
      for (const id of [once, twice, well]) await world().untilStatus(id, "success");
      for (const id of [...exhausted, insistent, failed]) await world().untilStatus(id, "failed");
    });

    const all = () => [once, twice, ...exhausted, insistent, failed, well];
    const begins = (id: string): Fact[] => world().truth.all({ what: "begins", invocation: id });
    const ends = (id: string): Fact[] =>
      world().truth.facts.filter(({ what, invocation }) => invocation === id && /^(returns|raises)$/.test(what));
    const attemptsOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + begins(id).length, 0);
    const flaky = () => [once, twice, ...exhausted];
    const retried = () => [...flaky(), insistent];

    it("each invocation has one retry for each time that it began again", async () => {
      expect(all().map((id) => begins(id).length)).toEqual([2, 3, 3, 3, 2, 1, 1]);
      for (const id of all()) expect((await detail(world().monitor, id)).retry_count).toBe(begins(id).length - 1);
    });

    it("each history has one entry for each attempt and each retry, in order", async () => {
      for (const id of all()) {
        const { history } = await detail(world().monitor, id);
        const attempt = ["pending", "running"];
        const attempts = begins(id).flatMap((_, at) => (at === 0 ? ["registered", ...attempt] : ["retry", ...attempt]));
        const outcome = ends(id).at(-1)?.what === "returns" ? "success" : "failed";
        expect(history.map(({ status }) => status)).toEqual([...attempts, outcome]);
      }
    });

    it("each attempt begins when its task really began", async () => {
      for (const id of all()) {
        const { history } = await detail(world().monitor, id);
        const running = history.filter(({ status }) => status === "running").map(({ timestamp }) => epoch(timestamp));
        begins(id).forEach(({ at }, attempt) => {
          const earliest = attempt === 0 ? world().truth.made(id).from : (ends(id)[attempt - 1]?.at ?? Number.NaN);
          expect(running[attempt]).toBeGreaterThanOrEqual(earliest);
          expect(running[attempt]).toBeLessThanOrEqual(at);
        });
      }
    });

    it("running is the time of all attempts together, and the time between them is time in the queue", async () => {
      for (const id of flaky()) {
        const { phases } = await detail(world().monitor, id);
        const worked = begins(id).reduce((sum, { at }, attempt) => sum + (ends(id)[attempt]?.at ?? 0) - at, 0);
        expect(secondsIn(phases, "running")).toBeGreaterThanOrEqual(worked - 0.1);
        const { truth } = world();
        expect(secondsIn(phases, "running")).toBeLessThanOrEqual(truth.seen(id) - truth.made(id).from);
        const stretches = Object.fromEntries(phases.map((phase) => [phase.phase, phase.stretches]));
        const n = begins(id).length;
        expect(stretches).toEqual({ queued: n, pending: n, running: n });
      }
    });

    it("the critical path has every attempt, and its parts add up to the whole", async () => {
      for (const id of flaky()) {
        const { critical_path: path } = await world().monitor.http<{
          critical_path: { microseconds: number; segments: { attempt: number; microseconds: number }[] };
        }>(`/why?id=${id}`);
        expect(new Set(path.segments.map(({ attempt }) => attempt)).size).toBe(begins(id).length);
        expect(path.segments.reduce((sum, segment) => sum + segment.microseconds, 0)).toBe(path.microseconds);
      }
    });

    it("monitor why says how often an exhausted invocation was retried and what its last attempt raised", async () => {
      // pynenc stores no message of its own RetryError.
      const sentences = [
        [exhausted[0] ?? "", 2, "It failed after 2 retries with RetryError."],
        [insistent, 1, "It failed after 1 retry with CardDeclined: card of ORD-6 was declined"],
      ] as const;
      for (const [id, retries, sentence] of sentences) {
        const { verdict, chain } = await whyEverywhere(world().monitor, id);
        expect(verdict).toMatchObject({ code: "failed", severity: "error", sentence });
        expect(verdict?.detail).not.toContain("not retried");
        expect(chain.filter((step) => step.sentence.startsWith("failed and was retried"))).toHaveLength(retries);
      }
    });

    it("monitor why says of the invocation that failed at once that it was not retried", async () => {
      const { verdict, chain } = await why(world().monitor, failed);
      expect(verdict?.sentence).toBe("It failed with CardDeclined: no such order");
      expect(verdict?.detail).toContain("It was not retried.");
      expect(chain).toEqual([]);
    });

    it("monitor why says that retried invocations succeeded in the end, and lists their retries", async () => {
      for (const [id, retries] of [[once, 1] as const, [twice, 2] as const]) {
        const { verdict, chain } = await why(world().monitor, id);
        expect(verdict).toMatchObject({ code: "ended_well", severity: "info" });
        expect(chain).toHaveLength(retries);
      }
    });

    it("statistics count failures, retries and runs of each task separately", async () => {
      const { rows } = await world().monitor.json<{ rows: StatsRow[] }>("stats", "--since", "1h");
      const row = (task: string) => rows.find(({ task_id_key }) => task_id_key === task);
      const attempts = attemptsOf(flaky());
      expect(row("work.flaky")).toMatchObject({
        registered: 4,
        started: attempts,
        finished: 4,
        failed: 2,
        retries: attempts - 4,
        run: { count: attempts },
      });
      expect(row("work.fails")).toMatchObject({ registered: 1, started: 1, finished: 1, failed: 1, retries: 0 });
      expect(row("work.ok")).toMatchObject({ registered: 1, started: 1, finished: 1, failed: 0, retries: 0 });
      const failed = rows.map((one) => one.failed);
      expect(failed).toEqual([...failed].sort((a, b) => b - a));
    });

    it("statistics by exception have both classes, and retries without an exception", async () => {
      const rows = await byException();
      expect(rows).toHaveLength(3);
      expect(rows).toContainEqual(expect.objectContaining({ exception: "RetryError", failed: 2, retries: 0 }));
      expect(rows).toContainEqual(expect.objectContaining({ exception: "CardDeclined", failed: 2, retries: 0 }));
      expect(rows).toContainEqual(
        expect.objectContaining({ exception: null, failed: 0, retries: attemptsOf(retried()) - 5 }),
      );
    });

    it("statistics by exception begin with the most failures", async () => {
      const failures = (await byException()).map((row) => row.failed);
      expect(failures).toEqual([...failures].sort((a, b) => b - a));
    });

    it("failures are grouped by exception and kind of message, and retries are a group of their own", async () => {
      const { monitor } = world();
      const { groups, total } = await monitor.json<{ groups: Group[]; total: number }>("failures", "--since", "1h");
      const retries = attemptsOf(flaky()) - 4;
      expect(total).toBe(4 + retries + 1);
      expect(groups).toHaveLength(5);
      const group = (task: string, type: string | null) =>
        groups.find((one) => one.task_id_key === `work.${task}` && one.type === type);
      expect(group("flaky", "RetryError")).toMatchObject({ count: 2, failed: 2, retries: 0 });
      expect([...(group("flaky", "RetryError")?.invocation_ids ?? [])].sort()).toEqual([...exhausted].sort());
      expect(group("fails", "CardDeclined")).toMatchObject({ count: 1, failed: 1, message: "no such order" });
      expect(group("insists", "CardDeclined")).toMatchObject({ count: 1, failed: 1, invocation_ids: [insistent] });
      expect(group("flaky", null)).toMatchObject({ count: retries, failed: 0, retries });
      expect(group("insists", null)).toMatchObject({ count: 1, failed: 0, retries: 1 });
    });

    it("the page and an assistant have the same groups", async () => {
      const { monitor } = world();
      const counts = ({ groups }: { groups: Group[] }) =>
        groups.map(({ type, count, failed, retries }) => ({ type, count, failed, retries }));
      const command = counts(await monitor.json<{ groups: Group[] }>("failures", "--since", "1h"));
      expect(counts(await monitor.http<{ groups: Group[] }>("/failures/?range=1h"))).toEqual(command);
      expect(counts(await monitor.tool<{ groups: Group[] }>("failures", { since: "1h" }))).toEqual(command);
      const page = await monitor.page("/failures/?range=1h");
      expect(page).toContain("RetryError");
      expect(page).toContain("CardDeclined");
    });

    it("the search of a group of failures finds its invocations", async () => {
      const { monitor } = world();
      const { groups } = await monitor.json<{ groups: Group[] }>("failures", "--since", "1h");
      for (const { type, query, invocation_ids } of groups) {
        if (type !== null) expect(await search(query ?? "")).toEqual([...invocation_ids].sort());
      }
    });

    it("searches by retries, exception, message and status find the right invocations", async () => {
      const sorted = (...ids: string[]) => ids.sort();
      expect(await search("retries>=1 task:flaky")).toEqual(sorted(...flaky()));
      const command = await world().monitor.json<{ invocations: { invocation_id: string }[] }>(
        ...["invocations", "retries=2"],
      );
      expect(command.invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(sorted(twice, ...exhausted));
      expect(await search("retries=2")).toEqual(sorted(twice, ...exhausted));
      expect(await search("retries=1")).toEqual(sorted(once, insistent));
      expect(await search("exception:RetryError")).toEqual(sorted(...exhausted));
      expect(await search("error:ORD-6")).toEqual([insistent]);
      expect(await search('error:"card of"')).toEqual([insistent]);
      expect(await search("status:failed")).toEqual(sorted(...exhausted, insistent, failed));
      expect(await search("arg.order=ORD-2")).toEqual([twice]);
      expect(await search("status:failed retries>=1")).toEqual(sorted(...exhausted, insistent));
    });

    it("a search of the history finds the invocations that ever had the status retry", async () => {
      const { invocations } = await world().monitor.json<{ invocations: { invocation_id: string }[] }>(
        ...["invocations", "--status", "retry", "--status-mode", "history"],
      );
      expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(retried().sort());
    });

    it("monitor check counts failures, not retries", async () => {
      const { monitor } = world();
      expect((await monitor.run(["check", "--max-failed", "4", "--since", "1h"])).code).toBe(0);
      const { code, stdout } = await monitor.run(["check", "--max-failed", "3", "--since", "1h"]);
      expect(code).toBe(1);
      expect(stdout).toContain("4 of 9 finished invocations failed");
    });

    it("failures that are not more frequent than before cause no verdict", async () => {
      expect(await appVerdicts(world().monitor)).toEqual([]);
    });

    async function byException(): Promise<{ exception: string | null; failed: number; retries: number }[]> {
      const command = ["stats", "--since", "1h", "--by", "exception"];
      return (await world().monitor.json<{ rows: Awaited<ReturnType<typeof byException>> }>(...command)).rows;
    }

    async function search(query: string): Promise<string[]> {
      const { invocations } = await world().monitor.http<{ invocations: { invocation_id: string }[] }>(
        `/invocations/?q=${encodeURIComponent(query)}`,
      );
      return invocations.map(({ invocation_id }) => invocation_id).sort();
    }
  },
);
