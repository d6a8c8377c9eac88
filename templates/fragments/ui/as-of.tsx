import type { ComponentChildren } from "preact";
import { Time } from "./time.tsx";

export interface AsOfProps {
  at: string;
  /** The address of the same page for the present. */
  now: string;
  /** Further information about that instant. */
  children?: ComponentChildren;
}

/** Shown above content as of a past instant. */
export function AsOf({ at, now, children }: AsOfProps) {
  return (
    <div class="as-of notice" role="note">
      <p>
        As of <Time iso={at} />, from the status history. What came later is not shown. <a href={now}>Back to now</a>
      </p>
      {children}
    </div>
  );
}
