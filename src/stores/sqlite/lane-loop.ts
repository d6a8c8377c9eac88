/** Main loop of the thread behind a ThreadLane: a session that executes orders. */
import { AbandonedError } from "../../errors.ts";
import { answerOrders } from "../threads/orders.ts";
import { performAction } from "./actions/actions.ts";
import type { AbandonedSnapshot, Order } from "./lanes.ts";
import { SqliteSession } from "./session.ts";

let session: SqliteSession | null = null;

/** Number of the current snapshot; 0 before the first. */
let snapshot = 0;
let abandoned: AbandonedSnapshot | null = null;

answerOrders<Order>((order) => {
  switch (order.verb) {
    case "begin":
      ({ snapshot, abandoned } = order);
      assertNotAbandoned();
      // Opened by the first snapshot, so that a file that cannot be opened is reported instead of ending the thread. After a failure the next snapshot tries
      // again.
      session ??= new SqliteSession(order.paths);
      return session.begin(order.app_id);
    case "call":
      assertNotAbandoned();
      return session?.call(order.call);
    case "end":
      return session?.end();
    case "act":
      return performAction(order.input, order.call);
    case "close":
      return session?.close();
  }
});

function assertNotAbandoned(): void {
  if (abandoned !== null && Atomics.load(abandoned, 0) === snapshot) throw new AbandonedError();
}
