import { presentCollections } from "../collections/present.ts";
import type { MongoReading } from "../collections/reading.ts";

/** Whether events and trigger runs are recorded: since 0.2.4, whose plugin makes their collections at its first start. */
export async function recordsEvents(reading: MongoReading): Promise<boolean> {
  return (await reading.once(presentCollections)).some(({ collection }) => collection === "events");
}
