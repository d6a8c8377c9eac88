/** What runs in the thread behind a ThreadLane: a session and a loop that answers messages in order. */
import { parentPort } from "node:worker_threads";
import { AbandonedError, RefusedError, StoreUnreachableError } from "../../errors.ts";
import { performAction } from "./actions/actions.ts";
import type { Answer, KnownFailure, Order, Request, Unwanted } from "./lanes.ts";
import { SqliteSession } from "./session.ts";

let session: SqliteSession | null = null;

/** The snapshot that calls are about now; 0 before the first. */
let snapshot = 0;
let unwanted: Unwanted | null = null;

function handle(order: Order): unknown {
  switch (order.verb) {
    case "begin":
      ({ snapshot, unwanted } = order);
      assertWanted();
      // Opened by the first snapshot, so that a file that cannot be opened is an answer and not a dead thread; and tried again by the next
      // one after a failure, so that a file that comes back is found.
      session ??= new SqliteSession(order.paths);
      return session.begin(order.app_id);
    case "call":
      assertWanted();
      return session?.call(order.call);
    case "end":
      return session?.end();
    case "act":
      return performAction(order.input, order.call);
    case "close":
      return session?.close();
  }
}

function assertWanted(): void {
  if (unwanted !== null && Atomics.load(unwanted, 0) === snapshot) throw new AbandonedError();
}

function knownFailure(error: unknown): KnownFailure | null {
  if (error instanceof StoreUnreachableError)
    return { kind: "unreachable", reason: error.reason, message: error.message, hint: error.hint };
  if (error instanceof AbandonedError) return { kind: "abandoned", message: error.message, hint: error.hint };
  if (error instanceof RefusedError)
    return { kind: "refused", status: error.status, message: error.message, hint: error.hint };
  return null;
}

parentPort?.on("message", (request: Request) => {
  let answer: Answer;
  try {
    answer = { id: request.id, ok: true, value: handle(request) };
  } catch (error) {
    const known = knownFailure(error);
    answer = { id: request.id, ok: false, known, error: known === null ? error : null };
  }
  parentPort?.postMessage(answer);
});
