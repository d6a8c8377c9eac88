/** Main loop of a thread with a MongoSession. */
import { answerSessionOrders } from "../threads/session-lanes.ts";
import { Servers, type ServersPlan } from "./server/servers.ts";
import { MongoSession } from "./session.ts";

answerSessionOrders((plan: ServersPlan) => new MongoSession(new Servers(plan)));
