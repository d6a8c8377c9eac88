import { visible } from "../../../src/presentation/text.ts";
import { Notes } from "./notes.tsx";

/** Collapsed notes, for pages whose content should start high on the screen. */
export function FoldedNotes({ notes }: { notes: readonly string[] }) {
  const [first, ...others] = notes;
  if (first === undefined) return null;
  return (
    <details>
      <summary>
        <span>
          {visible(first)}
          {others.length > 0 && <span class="muted"> and {others.length} more</span>}
        </span>
      </summary>
      <Notes notes={notes} />
    </details>
  );
}
