/** Main loop of the thread behind a WorkerThread. */
import { answerOrders } from "../threads/orders.ts";
import { orderedSession } from "./lanes.ts";

answerOrders(orderedSession());
