import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { StatusBadge } from "./status-badge.tsx";

export interface StatusFieldProps {
  /** Query parameter, repeated for each status. */
  name: string;
  chosen: readonly string[];
  /** Words found in data besides the 13. */
  others?: readonly string[] | undefined;
}

/** Any of several statuses. */
export function StatusField({ name, chosen, others = [] }: StatusFieldProps) {
  const words = new Set([...STATUSES.map((status) => status.name), ...others, ...chosen]);
  return (
    <fieldset class="status-field">
      <legend>Status, any of</legend>
      {[...words].map((status) => (
        <label key={status} class="check">
          <input type="checkbox" name={name} value={status} checked={chosen.includes(status)} />
          <StatusBadge status={status} />
        </label>
      ))}
    </fieldset>
  );
}
