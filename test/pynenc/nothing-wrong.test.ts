import { expect, test } from "vitest";
import { nothingWrong } from "../../src/pynenc/nothing-wrong.ts";

test("a sentence that nothing looks wrong claims no more than what was examined", () => {
  expect(nothingWrong([])).toBe("Nothing looks wrong");
  expect(nothingWrong(["schedules: no triggers"])).toBe("Nothing looks wrong in what was checked");
  expect(nothingWrong(["schedules: no triggers"], "No errors")).toBe("No errors in what was checked");
});
