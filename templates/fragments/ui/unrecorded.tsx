import { Empty } from "./empty.tsx";

/** Shown instead of a list that this layout does not record. */
export function Unrecorded({ what }: { what: string }) {
  return (
    <Empty title={`${what} are not recorded here`}>
      This store has a layout older than pynenc 0.2.4, which records neither events nor trigger runs. Whether there were
      any is not known.
    </Empty>
  );
}
