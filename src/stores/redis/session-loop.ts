/** Main loop of a thread with a RedisSession. */
import { answerSessionOrders } from "../threads/session-lanes.ts";
import { Servers, type ServersPlan } from "./server/servers.ts";
import { RedisSession } from "./session.ts";

answerSessionOrders((plan: ServersPlan) => new RedisSession(new Servers(plan), true));
