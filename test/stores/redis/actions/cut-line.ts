/** A line to a test's server that is cut in the middle of an action. */
import { connect, createServer } from "node:net";
import type { RedisEndpoint } from "../../../../src/stores/redis/server/connection.ts";
import type { RedisServer } from "../../../support/redis-server.ts";

export interface CutLine {
  endpoint: RedisEndpoint;
  close(): Promise<void>;
}

/** Passes everything on until the transaction number `cutAt`, of which nothing is passed on from its last part on. */
export async function cutLineTo(server: RedisServer, cutAt: number): Promise<CutLine> {
  let transactions = 0;
  const line = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1");
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    upstream.on("data", (data) => client.write(data));
    client.on("data", (data) => {
      transactions += data.toString("latin1").split("\r\nEXEC\r\n").length - 1;
      if (transactions >= cutAt) end();
      else upstream.write(data);
    });
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  const address = line.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    endpoint: { ...server.endpoint, url: `redis://127.0.0.1:${port}/0` },
    close: () => new Promise((resolve) => line.close(() => resolve())),
  };
}
