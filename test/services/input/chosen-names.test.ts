import { expect, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { chosenNames } from "../../../src/services/input/chosen-names.ts";

const KNOWN = ["status", "task_id_key", "arguments"] as const;

test("chosen names are separated by commas or repeated, each counts once, and usual means the default choice", () => {
  expect(chosenNames(["Status, arguments", "status"], KNOWN)).toEqual(["status", "arguments"]);
  expect(chosenNames(["", "usual"], KNOWN)).toEqual([]);
  expect(chosenNames([], KNOWN)).toEqual([]);
});

test("a wrong name is refused with all known names, and a similar one if there is any", () => {
  const refused = (value: string, parameter?: string) => {
    try {
      return chosenNames([value], KNOWN, parameter);
    } catch (error) {
      return error instanceof InvalidInputError ? error.problems : error;
    }
  };
  const accepted = "expected some of status,task_id_key,arguments";
  expect(refused("stauts")).toEqual([
    { parameter: "fields", value: "stauts", accepted: `${accepted}; did you mean status?` },
  ]);
  expect(refused("colour", "columns")).toEqual([{ parameter: "columns", value: "colour", accepted }]);
});
