/** Choosing some of a list of names, such as columns. */
import { InvalidInputError } from "../../errors.ts";
import { didYouMean, similarWords } from "./similar.ts";

/** In place of names: no choice. */
const USUAL = "usual";

/**
 * Names as they are asked for, with commas between them or one by one; empty for the usual ones.
 *
 * @throws InvalidInputError with names like a wrong one
 */
export function chosenNames<Name extends string>(
  values: readonly string[],
  known: readonly Name[],
  parameter = "fields",
): Name[] {
  const given = values.flatMap((value) => value.split(",")).map((word) => word.trim().toLowerCase());
  const words = given.every((word) => word === "" || word === USUAL) ? [] : given;
  return [...new Set(words)].map((word) => {
    const name = known.find((one) => one === word);
    if (name !== undefined) return name;
    const meant = didYouMean(similarWords(word, known));
    const accepted = `expected some of ${known.join(",")}${meant === null ? "" : `; ${meant}`}`;
    throw new InvalidInputError([{ parameter, value: word, accepted }]);
  });
}
