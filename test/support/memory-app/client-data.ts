import type { ClientDataReads } from "../../../src/stores/ports/client-data.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { type MemoryRows, sliceOf, sortedBy } from "./rows.ts";

export function clientDataReads({ values }: MemoryRows): Sync<ClientDataReads> {
  const sized = values.map((value) => ({ ...value, size: Buffer.byteLength(value.text) }));
  const times = values.flatMap((value) => value.created_at ?? []);
  return {
    valuesByKeys: (references, maxCharacters) =>
      sized
        .filter((value) => references.includes(value.data_key))
        .map((value) => ({ ...value, text: value.text.slice(0, maxCharacters) })),
    listValues: (slice) =>
      sliceOf(
        sortedBy(sized, (value) => -(value.created_at ?? 0)),
        slice,
      ).map(({ text: _, ...value }) => value),
    figures: () => ({
      values: values.length,
      bytes: sized.reduce((sum, value) => sum + value.size, 0),
      oldest: times.length === 0 ? null : Math.min(...times),
      newest: times.length === 0 ? null : Math.max(...times),
    }),
  };
}
