/** The thread behind a ThreadLane: a session and a loop that answers messages in order. */
import { parentPort } from "node:worker_threads";
import { StoreUnreachableError } from "../../errors.ts";
import type { Answer, Request } from "./lanes.ts";
import { type ComponentPaths, SqliteSession } from "./session.ts";

let session: SqliteSession | null = null;

function handle({ verb, target, method, args }: Request): unknown {
  switch (verb) {
    case "begin": {
      const [appId, paths] = args as [string, ComponentPaths];
      // Opened by the first snapshot, so that a file that cannot be opened is an answer and not a dead thread; and tried again by the next
      // one after a failure, so that a file that comes back is found.
      session ??= new SqliteSession(paths);
      return session.begin(appId);
    }
    case "call":
      return session?.call(target, method, args);
    case "end":
      return session?.end();
    case "close":
      return session?.close();
  }
}

parentPort?.on("message", (request: Request) => {
  let answer: Answer;
  try {
    answer = { id: request.id, ok: true, value: handle(request) };
  } catch (error) {
    const unreachable =
      error instanceof StoreUnreachableError
        ? { reason: error.reason, message: error.message, hint: error.hint }
        : null;
    answer = { id: request.id, ok: false, unreachable, error: unreachable === null ? error : null };
  }
  parentPort?.postMessage(answer);
});
