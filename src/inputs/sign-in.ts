/** What the page to sign in takes. */
import { text } from "./parameter.ts";

export const signInInput = {
  code: text("one-time code that the monitor printed or made"),
  next: text("path to go to afterwards"),
} as const;
