import { Empty } from "./empty.tsx";

/** Stands where a list would be that this layout does not keep. */
export function Unrecorded({ what }: { what: string }) {
  return (
    <Empty title={`${what} are not recorded here`}>
      <p>
        The app was written by a pynenc older than 0.2.4, which keeps neither events nor trigger runs. Nothing can be
        said about them, not even that there were none.
      </p>
    </Empty>
  );
}
