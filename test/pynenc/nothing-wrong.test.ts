import { expect, test } from "vitest";
import { nothingWrong } from "../../src/pynenc/nothing-wrong.ts";

test("that nothing looks wrong is said of everything only if everything was examined", () => {
  expect(nothingWrong([])).toBe("Nothing looks wrong");
  expect(nothingWrong(["schedules: no triggers"])).toBe("Nothing looks wrong in what was checked");
  expect(nothingWrong(["schedules: no triggers"], "No errors")).toBe("No errors in what was checked");
});
