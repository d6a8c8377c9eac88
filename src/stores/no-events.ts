import { RefusedError } from "../errors.ts";

/** Why events cannot be auto-purged in a layout of before 0.2.4. */
export function noEventsRecorded(): RefusedError {
  return new RefusedError(
    "This store records no events, so there is nothing to remove: pynenc records them since 0.2.4.",
    null,
    409,
  );
}
