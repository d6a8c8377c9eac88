import { visible } from "../../../src/presentation/text.ts";
import { Notice, type NoticeProps } from "./notice.tsx";

/** A service's notes on its answer: gaps, ordering, contradictions. */
export function Notes({ notes, tone = "info" }: { notes: readonly string[]; tone?: NoticeProps["tone"] }) {
  if (notes.length === 0) return null;
  return (
    <Notice tone={tone}>
      {notes.length === 1 ? (
        <p>{visible(notes[0] ?? "")}</p>
      ) : (
        <ul class="notes stack">
          {notes.map((note) => (
            <li key={note}>{visible(note)}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
