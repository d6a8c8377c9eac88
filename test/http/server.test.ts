/** Where a server listens. */
import { createServer } from "node:net";
import { H3 } from "h3";
import { expect, it } from "vitest";
import { InvalidInputError } from "../../src/errors.ts";
import type { ServerContext } from "../../src/http/context.ts";
import { type RunningServer, startServer } from "../../src/http/server.ts";
import { freePort } from "../support/free-port.ts";

const CONTEXT = {} as ServerContext;
const start = (port: number | "auto"): Promise<RunningServer> => startServer(CONTEXT, new H3(), "127.0.0.1", port);

it("each of many servers that start at once gets its own port", async () => {
  const started = await Promise.allSettled(Array.from({ length: 12 }, () => start("auto")));
  const servers = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  try {
    expect(started.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual([]);
    expect(new Set(servers.map((server) => server.url)).size).toBe(12);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
});

it("a taken port is reported, also when another program takes it while the server starts", async () => {
  const port = await freePort();
  let done = false;
  let taken = 0;
  let turns = 0;
  const other = (async () => {
    while (!done) {
      const server = createServer();
      const listening = await new Promise<boolean>((resolve) => {
        server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
      });
      if (listening) await new Promise((resolve) => server.close(resolve));
      // So that the server's own looks fall before and behind.
      for (let turn = 0; turn < turns % 7; turn++) await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
  })();
  for (let n = 0; n < 300; n++) {
    const started = await start(port).catch((error: unknown) => error);
    if (started instanceof Error) {
      expect(started).toBeInstanceOf(InvalidInputError);
      taken++;
    } else await (started as RunningServer).close();
  }
  done = true;
  await other;
  expect(taken).toBeGreaterThan(0);
});
