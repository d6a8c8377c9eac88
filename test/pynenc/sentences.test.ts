import { expect, it } from "vitest";
import { unsaid } from "../../src/pynenc/sentences.ts";

it("a sentence is left out if the detail of a verdict has it, and kept otherwise", () => {
  const verdicts = [{ detail: "No runner takes it. Its message is third in the queue." }, { detail: "" }];
  const sentences = ["Its message is third in the queue.", "Runners usually take one a second."];
  expect(unsaid(sentences, verdicts)).toEqual(["Runners usually take one a second."]);
  expect(unsaid(sentences, [])).toEqual(sentences);
});
