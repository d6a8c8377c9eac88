import type { MongoReading } from "../collections/reading.ts";

/** Whether events and trigger runs are recorded: since 0.2.4, whose plugin makes their collections at its first start. */
export async function recordsEvents(reading: MongoReading): Promise<boolean> {
  const name = reading.names.name("trigger", "events");
  return (await reading.db("trigger").collections(new RegExp(`^${name}$`))).length > 0;
}
