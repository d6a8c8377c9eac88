/** How many requests are answered at once, who waits, who is refused, and what is answered nevertheless. */
import { request as httpRequest } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { AbandonedError, TooBusyError } from "../../src/errors.ts";
import { Turns } from "../../src/http/turns.ts";
import { monitorOf } from "../support/monitor.ts";

const here = new AbortController().signal;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
/** Lets everything happen that waits for nothing else. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that lasts until it is ended, and the order in which work was begun. */
function recorder(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, signal = here) =>
    turns.take(
      () =>
        new Promise<string>((resolve) => {
          begun.push(name);
          ends.set(name, () => resolve(name));
        }),
      signal,
    );
  return { begun, take, end: (name: string) => ends.get(name)?.() };
}

describe("turns of requests", () => {
  it("are given to a limited number of requests at once, and to the others in order of arrival", async () => {
    const { begun, take, end } = recorder(new Turns({ atOnce: 2, inLine: 10 }));
    const all = ["a", "b", "c", "d"].map((name) => take(name));
    await settled();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await settled();
    expect(begun).toEqual(["a", "b", "c"]);
    for (const name of ["a", "c"]) end(name);
    await settled();
    end("d");
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  });

  it("are refused while the line is full, and given again afterwards", async () => {
    const { take, end } = recorder(new Turns({ atOnce: 1, inLine: 1 }));
    const first = take("first");
    const second = take("second");
    expect(await failureOf(take("third"))).toBeInstanceOf(TooBusyError);
    end("first");
    await first;
    const fourth = take("fourth");
    await settled();
    end("second");
    await settled();
    end("fourth");
    expect(await Promise.all([second, fourth])).toEqual(["second", "fourth"]);
  });

  it("are not given to a client that left the line, whose place becomes free", async () => {
    const { begun, take, end } = recorder(new Turns({ atOnce: 1, inLine: 1 }));
    const first = take("first");
    const leaving = new AbortController();
    const left = failureOf(take("left", leaving.signal));
    leaving.abort();
    expect(await left).toBeInstanceOf(AbandonedError);
    const next = take("next");
    end("first");
    await first;
    await settled();
    end("next");
    await next;
    expect(begun).toEqual(["first", "next"]);
  });

  it("are given back by a request that fails", async () => {
    const turns = new Turns({ atOnce: 1, inLine: 0 });
    expect(await failureOf(turns.take(() => Promise.reject(new Error("no")), here))).toMatchObject({ message: "no" });
    expect(await turns.take(async () => "yes", here)).toBe("yes");
  });
});

describe("a monitor with as many requests as it answers at once", () => {
  const none = { atOnce: 0, inLine: 0 };

  it("refuses pages, fragments, JSON and metrics with 503 and Retry-After, without reading the store", async () => {
    const monitor = await monitorOf("kitchen_sink.db", "in process", { turns: none });
    onTestFinished(() => monitor.close());
    for (const [path, headers] of [
      ["/", { accept: "text/html" }],
      ["/invocations/", { accept: "text/html", "hx-request": "true" }],
      ["/invocations/", { accept: "application/json" }],
      ["/metrics", {}],
    ] as const) {
      const response = await monitor.get(path, { headers });
      expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "3"]);
      const text = await response.text();
      expect(text).toContain("Too many requests at once");
      expect(text).toContain("try again in a moment");
    }
  });

  it("still answers /health, assets and actions", async () => {
    const monitor = await monitorOf("kitchen_sink.db", "over a socket", { turns: none });
    onTestFinished(() => monitor.close());
    expect(await monitor.json("/health")).toMatchObject({ status: "ok", store: "ok" });
    expect((await monitor.get("/assets/app.css")).status).toBe(200);
    expect((await monitor.post("/broker/purge", { confirm: "no" })).status).not.toBe(503);
    const inProcess = await monitor.inProcess("/health", { headers: { host: new URL(monitor.origin).host } });
    expect(inProcess.status).toBe(200);
  });

  it("drops a waiting request when its client disconnects", async () => {
    const monitor = await monitorOf("kitchen_sink.db", "over a socket", { turns: { atOnce: 1, inLine: 1 } });
    onTestFinished(() => monitor.close());
    let free = (): void => undefined;
    const held = monitor.context.turns.take(() => new Promise<void>((resolve) => (free = resolve)), here);
    const statusOf = (path: string) => monitor.get(path, { headers: { accept: "application/json" } });
    const leaving = httpRequest(`${monitor.origin}/tasks/`, { headers: { accept: "application/json" } });
    leaving.on("error", () => undefined);
    leaving.end();
    // The line is full as soon as the request has arrived, and has a place again as soon as it has gone.
    await expect
      .poll(
        async () =>
          (await failureOf(monitor.context.turns.take(async () => undefined, AbortSignal.timeout(1)))) instanceof
          TooBusyError,
      )
      .toBe(true);
    leaving.destroy();
    await expect
      .poll(
        async () =>
          (await failureOf(monitor.context.turns.take(async () => undefined, AbortSignal.timeout(1)))) instanceof
          AbandonedError,
      )
      .toBe(true);
    free();
    await held;
    expect((await statusOf("/tasks/")).status).toBe(200);
  });
});
