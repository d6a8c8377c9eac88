import { RefusedError } from "../errors.ts";

/** Refusal to auto-purge events in a layout before 0.2.4. */
export function noEventsRecorded(): RefusedError {
  return new RefusedError(
    "This store records no events, so there is nothing to remove: pynenc records them since 0.2.4.",
    null,
    409,
  );
}
