/** A line to a test's server that is cut at a command. */
import { connect, createServer, type Socket } from "node:net";
import type { RedisEndpoint } from "../../src/stores/redis/server/connection.ts";
import type { RedisServer } from "./redis-server.ts";

/**
 * `request`: the command does not reach the server. `answer`: the server does what it was told, and nothing of its answers comes back from
 * then on.
 */
export type Cut = "request" | "answer";

export interface CutLine {
  endpoint: RedisEndpoint;
  /** Commands that were passed on, by name, in their order. */
  readonly passed: readonly string[];
  /** Cut from now on, and counted again. @param cutAt null where the line is to hold. */
  cutNext(cutAt: ((command: readonly string[], number: number) => Cut | null) | null): void;
  close(): Promise<void>;
}

/** @param cutAt is asked about each command, with its number from 1; what opens a connection is not counted. */
export async function cutLineTo(
  server: RedisServer,
  cutAt: Parameters<CutLine["cutNext"]>[0] = null,
): Promise<CutLine> {
  let [asked, passed] = [cutAt, [] as string[]];
  const sockets = new Set<Socket>();
  const line = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1");
    let rest: Buffer = Buffer.alloc(0);
    let withheld = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    upstream.on("data", (data) => withheld || client.write(data));
    client.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      while (!withheld) {
        const command = firstCommand(rest);
        if (command === null) return;
        const bytes = rest.subarray(0, command.length);
        rest = rest.subarray(command.length);
        const opening = OPENING.has(command.words[0]?.toUpperCase() ?? "");
        if (!opening) passed.push(command.words[0] ?? "");
        const cut = opening ? null : (asked?.(command.words, passed.length) ?? null);
        if (cut === "request") {
          passed.pop();
          return end();
        }
        withheld = cut === "answer";
        upstream.write(bytes);
        // The server does all that it has read before it sees that nothing follows; then it closes, and so do we.
        if (withheld) upstream.end();
      }
    });
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  const address = line.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    endpoint: { ...server.endpoint, url: server.url.replace(/:\d+\//, `:${port}/`) },
    get passed() {
      return passed;
    },
    cutNext(cutAt) {
      [asked, passed] = [cutAt, []];
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => line.close(() => resolve()));
    },
  };
}

const OPENING: ReadonlySet<string> = new Set(["HELLO", "AUTH", "SELECT", "CLIENT"]);

/** The command that a buffer begins with, as an array of texts, and the number of its bytes; null while some are missing. */
function firstCommand(buffer: Buffer): { words: string[]; length: number } | null {
  let at = 0;
  const line = () => {
    const end = buffer.indexOf("\r\n", at);
    if (end < 0) return null;
    const text = buffer.toString("latin1", at, end);
    at = end + 2;
    return text;
  };
  const count = line();
  if (count === null) return null;
  const words: string[] = [];
  for (let i = 0; i < Number(count.slice(1)); i++) {
    const size = line();
    if (size === null) return null;
    const length = Number(size.slice(1));
    if (buffer.length < at + length + 2) return null;
    words.push(buffer.toString("utf8", at, at + length));
    at += length + 2;
  }
  return { words, length: at };
}
