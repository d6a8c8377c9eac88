import type { ComponentChildren } from "preact";
import { Time } from "./time.tsx";

export interface AsOfProps {
  at: string;
  /** The address of the same as of now. */
  now: string;
  /** What else is told of that instant. */
  children?: ComponentChildren;
}

/** Above what is shown as of an instant of the past. */
export function AsOf({ at, now, children }: AsOfProps) {
  return (
    <div class="as-of" role="note">
      <p>
        As of <Time iso={at} />, from the status history. What came later is not shown. <a href={now}>Back to now</a>
      </p>
      {children}
    </div>
  );
}
