import { Empty } from "./empty.tsx";

/** Stands where a list would be that this layout does not keep. */
export function Unrecorded({ what }: { what: string }) {
  return (
    <Empty title={`${what} are not recorded here`}>
      <p>
        This store has a layout older than pynenc 0.2.4, which records neither events nor trigger runs. Whether there
        were any is not known.
      </p>
    </Empty>
  );
}
