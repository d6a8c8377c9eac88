import { visibleLine } from "../../../src/presentation/text.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { StatusBadge } from "./status-badge.tsx";

export interface StatusFieldProps {
  /** Query parameter, repeated for each status. */
  name: string;
  chosen: readonly string[];
  /** Words found in data besides the 13. */
  others?: readonly string[] | undefined;
}

/** Any of several statuses, in a panel that opens without scripts. */
export function StatusField({ name, chosen, others = [] }: StatusFieldProps) {
  const words = new Set([...STATUSES.map((status) => status.name), ...others, ...chosen]);
  const choice = chosen.length > 1 ? `${chosen.length} chosen` : visibleLine(chosen[0] ?? "Any");
  return (
    <div class="field status-field">
      <span class="field-label" aria-hidden="true">
        Status
      </span>
      <details class="menu">
        <summary>
          <span class="visually-hidden">Status: </span>
          <span class="status-choice">{choice}</span>
        </summary>
        <fieldset class="menu-panel">
          <legend class="visually-hidden">Status, any of</legend>
          {[...words].map((status) => (
            <label key={status} class="check">
              <input type="checkbox" name={name} value={status} checked={chosen.includes(status)} />
              <StatusBadge status={status} />
            </label>
          ))}
        </fieldset>
      </details>
    </div>
  );
}
