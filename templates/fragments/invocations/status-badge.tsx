import { visibleLine } from "../../../src/presentation/text.ts";
import { statusInfo } from "../../../src/pynenc/statuses.ts";
import { statusClass } from "../../assets/status-css.ts";

/** A status as a word with a coloured dot. The word is the stored one; its colour is never the only sign. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <span class={`status ${statusClass(status)}`} title={statusInfo(status).meaning}>
      <span class="status-dot" />
      {visibleLine(status) || "(empty)"}
    </span>
  );
}
