import type { MongoReading } from "./reading.ts";

/** Whether messages have named queues and priorities: since 0.4, whose plugin indexes the name, also in an older collection. */
export async function hasNamedQueues(reading: MongoReading): Promise<boolean> {
  const messages = reading.of("broker", "messages");
  const [indexed, newest] = await Promise.all([
    messages.indexedMembers(),
    messages.findOne({}, { sort: { _id: -1 }, only: { queue_name: 1 } }),
  ]);
  return indexed.has("queue_name") || typeof newest?.queue_name === "string";
}
