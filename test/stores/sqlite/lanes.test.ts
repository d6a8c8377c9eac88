/** A reading thread that does not answer is given up and replaced. The clock alone is mocked: for it, the thread is too slow. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AbandonedError, StoreUnreachableError } from "../../../src/errors.ts";
import { onePath } from "../../../src/stores/sqlite/file/component-paths.ts";
import { type SqliteLane as Lane, ThreadLane } from "../../../src/stores/sqlite/lanes.ts";
import { LanePool } from "../../../src/stores/threads/lanes.ts";
import { copies } from "./rows.ts";

const copyOf = copies();

/** What was thrown. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("a query that does not end", () => {
  let lanes: Lane[];
  let make: () => Lane;
  beforeEach(() => {
    lanes = [];
    const paths = onePath(copyOf("kitchen_sink.db"));
    make = () => {
      const lane = new ThreadLane(paths);
      lanes.push(lane);
      return lane;
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(lanes.map((lane) => lane.close()));
  });

  it("is given up after 20 s with all that wait for it, and its thread is not used again", async () => {
    const lane = make();
    const begun = failureOf(lane.begin("kitchen_sink"));
    const called = failureOf(lane.call({ port: "broker", method: "countMessages", args: [] }));
    vi.advanceTimersByTime(19_999);
    expect(lane.broken).toBe(false);
    vi.advanceTimersByTime(1);
    expect(lane.broken).toBe(true);
    for (const failure of [await begun, await called]) {
      expect(failure).toBeInstanceOf(StoreUnreachableError);
      expect(failure).toMatchObject({ reason: "timeout", message: "The store did not answer within 20 s." });
    }
    expect(await failureOf(lane.call({ port: "broker", method: "countMessages", args: [] }))).toMatchObject({
      reason: "failed",
    });
  });

  it("takes its thread out of use, and waiting reads get a new one", async () => {
    const pool = new LanePool(1, make);
    const hung = failureOf(pool.use((lane) => lane.begin("kitchen_sink")));
    const next = pool.use(async (lane) => {
      await lane.begin("kitchen_sink");
      const messages = await lane.call({ port: "broker", method: "countMessages", args: [] });
      await lane.end();
      return messages;
    });
    // The lane is handed out in a microtask.
    await Promise.resolve();
    await Promise.resolve();
    vi.advanceTimersByTime(20_000);
    expect(await hung).toMatchObject({ reason: "timeout" });
    expect(await next).toBe(7);
    expect(lanes.map((lane) => lane.broken)).toEqual([true, false]);
    await pool.close();
  });

  it("is not confused with one that was answered in time", async () => {
    const lane = make();
    await lane.begin("kitchen_sink");
    expect(await lane.call({ port: "broker", method: "countMessages", args: [] })).toBe(7);
    vi.advanceTimersByTime(60_000);
    expect(lane.broken).toBe(false);
  });
});

describe("a client that leaves", () => {
  /** Waits until it is let go, and counts what is executed. */
  class SlowLane implements Lane {
    readonly broken = false;
    executed: string[] = [];
    begin = async () => [];
    call: Lane["call"] = async ({ args }) => {
      this.executed.push(String(args[0]));
      return undefined as never;
    };
    end = async () => undefined;
    abandon = () => undefined;
    act = async () => undefined;
    close = async () => undefined;
  }

  it("loses its place in line: its query is never run, and the next ones move up", async () => {
    const lane = new SlowLane();
    const pool = new LanePool(1, () => lane);
    let letGo = (): void => undefined;
    const busy = pool.use(
      () =>
        new Promise<void>((resolve) => {
          letGo = resolve;
        }),
    );
    const leaving = Array.from({ length: 24 }, () => new AbortController());
    const gone = leaving.map(({ signal }, n) =>
      failureOf(
        pool.use((got) => got.call({ port: "broker", method: "countMessages", args: [`abandoned ${n}`] }), signal),
      ),
    );
    const staying = [1, 2].map((n) =>
      pool.use(
        (got) => got.call({ port: "broker", method: "countMessages", args: [`wanted ${n}`] }),
        new AbortController().signal,
      ),
    );
    for (const one of leaving) one.abort();
    for (const failure of await Promise.all(gone)) expect(failure).toBeInstanceOf(AbandonedError);
    const late = failureOf(
      pool.use((got) => got.call({ port: "broker", method: "countMessages", args: ["late"] }), AbortSignal.abort()),
    );
    expect(await late).toBeInstanceOf(AbandonedError);
    letGo();
    await Promise.all([busy, ...staying]);
    expect(lane.executed).toEqual(["wanted 1", "wanted 2"]);
    await pool.close();
  });

  it("leaves no query in the thread, which serves the next client", async () => {
    const lane = new ThreadLane(onePath(copyOf("kitchen_sink.db")));
    // The thread has only just been started: nothing is begun when these are abandoned.
    const begun = failureOf(lane.begin("kitchen_sink"));
    const called = Array.from({ length: 50 }, () =>
      failureOf(lane.call({ port: "broker", method: "countMessages", args: [] })),
    );
    lane.abandon();
    for (const failure of [await begun, ...(await Promise.all(called))]) expect(failure).toBeInstanceOf(AbandonedError);
    await lane.end();
    await lane.begin("kitchen_sink");
    expect(await lane.call({ port: "broker", method: "countMessages", args: [] })).toBe(7);
    await lane.close();
  });
});

describe("a snapshot inside a snapshot", () => {
  const poolOf = () => new LanePool(2, () => ({ broken: false, close: async () => undefined }) as unknown as Lane);

  it("of the same pool is refused at once, also through another pool, and a later one is not", async () => {
    const [pool, other] = [poolOf(), poolOf()];
    const inside = (work: () => Promise<unknown>) => pool.use(() => failureOf(work()));
    const refused = expect.objectContaining({ message: "a snapshot inside a snapshot" });
    expect(await inside(() => pool.use(async () => "never"))).toEqual(refused);
    expect(await inside(() => other.use(() => pool.use(async () => "never")))).toEqual(refused);
    expect(await pool.use(() => other.use(async () => "another store"))).toBe("another store");
    expect(await pool.use(async () => "later")).toBe("later");
    await Promise.all([pool.close(), other.close()]);
  });
});

describe("a pool of threads that is closed", () => {
  it("first serves the reads in line, then closes each thread", async () => {
    const closed: string[] = [];
    const made: string[] = [];
    const pool = new LanePool(1, () => {
      const name = `lane ${made.length}`;
      made.push(name);
      return { broken: false, close: async () => void closed.push(name) } as unknown as Lane;
    });
    let finish: () => void = () => undefined;
    const busy = pool.use(() => new Promise<void>((resolve) => (finish = resolve)));
    const inLine = pool.use(async () => "served");
    await pool.close();
    expect(closed).toEqual([]);
    finish();
    await busy;
    expect(await inLine).toBe("served");
    await vi.waitFor(() => expect(closed).toEqual(["lane 0"]), { timeout: 60_000 });
    expect(made).toEqual(["lane 0"]);
  });
});
