/** Pages of the same app from SQLite and from MongoDB. */

import { mongoFixtures } from "../support/mongodb-fixtures.ts";
import { describeWithMongo } from "../support/mongodb-server.ts";
import { describeTwins } from "../support/twin-pages.ts";

describeWithMongo("pages from SQLite and from MongoDB", () => {
  const load = mongoFixtures();
  describeTwins(["pending_triggers.db", "queues_040.db"], async (name) => {
    const { url, database, close } = await load(name);
    return { place: { url }, env: { PYNENC__MONGO_DB: database }, wholeMilliseconds: true, close };
  });
});
