/** Lines of words on narrow terminals. */
import { describe, expect, test } from "vitest";
import { fittedLines, type Word } from "../../../src/cli/print/words.ts";

const LINE: readonly Word[] = [
  { text: "└─ ", joint: "" },
  { text: "shop.orders.place_order", cut: "start" },
  { text: "2026-11-28 14:22:44", narrow: "5 min ago", optional: true },
  { text: "93041383-1dbd-4686-984c-3469c05b4339", narrow: "93041383…4339" },
];

describe("lines of words", () => {
  test("are printed in full where they fit or may have any length", () => {
    const whole = "└─ shop.orders.place_order 2026-11-28 14:22:44 93041383-1dbd-4686-984c-3469c05b4339";
    expect(fittedLines([LINE], null)).toEqual([whole]);
    expect(fittedLines([LINE], whole.length)).toEqual([whole]);
  });

  test("all have the shorter forms if one of them does not fit", () => {
    const short = [{ text: "b" }, { text: "22a165a2-a419-4fde-ad99-fc7096ae1d1b", narrow: "22a165a2…1d1b" }];
    expect(fittedLines([LINE, short], 60)).toEqual([
      "└─ shop.orders.place_order 5 min ago 93041383…4339",
      "b 22a165a2…1d1b",
    ]);
  });

  test("lose letters of what may be cut, then what is optional, and never the id", () => {
    expect(fittedLines([LINE], 40)).toEqual(["└─ ….place_order 5 min ago 93041383…4339"]);
    expect(fittedLines([LINE], 30)).toEqual(["└─ ….place_order 93041383…4339"]);
  });

  test("end with an ellipsis where nothing else helps", () => {
    const [line = ""] = fittedLines([[{ text: "└─ " }, { text: "an explanation that nobody can shorten" }]], 20);
    expect([line.length, line.at(-1)]).toEqual([20, "…"]);
  });
});
