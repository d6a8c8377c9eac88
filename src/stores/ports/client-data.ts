import type { ClientDataRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Slice } from "./common.ts";

export interface ClientDataReads {
  /** Values by full reference; `text` is cut to `maxCharacters`. */
  valuesByKeys(references: readonly string[], maxCharacters: number): Promise<ClientDataRecord[]>;
  /** Newest first, or by reference if the store keeps no times. Without the values. */
  listValues(slice: Slice): Promise<Omit<ClientDataRecord, "text">[]>;
  figures(): Promise<{ values: number; bytes: number; oldest: EpochSeconds | null; newest: EpochSeconds | null }>;
}
