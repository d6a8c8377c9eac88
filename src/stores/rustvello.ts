import { StoreUnreachableError } from "../errors.ts";

/** Rustvello replaces pynenc's components and has layouts of its own (storage-format.md 11): its stores are recognised, not read. */
export function rustvelloStore(): StoreUnreachableError {
  return new StoreUnreachableError(
    "not-pynenc",
    "This is a store of Rustvello, with a layout of its own that this monitor does not read.",
    "Name the store of an app that runs on pynenc's own components: --db or --url.",
  );
}
