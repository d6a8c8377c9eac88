/** What runs in the thread behind a ThreadLane: a session that does as it is ordered. */
import { AbandonedError } from "../../errors.ts";
import { answerOrders } from "../threads/orders.ts";
import { performAction } from "./actions/actions.ts";
import type { Order, Unwanted } from "./lanes.ts";
import { SqliteSession } from "./session.ts";

let session: SqliteSession | null = null;

/** The snapshot that calls are about now; 0 before the first. */
let snapshot = 0;
let unwanted: Unwanted | null = null;

answerOrders<Order>((order) => {
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
});

function assertWanted(): void {
  if (unwanted !== null && Atomics.load(unwanted, 0) === snapshot) throw new AbandonedError();
}
