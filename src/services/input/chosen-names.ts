/** Parameters that select names from a list, such as columns. */
import { InvalidInputError } from "../../errors.ts";
import { didYouMean, similarWords } from "./similar.ts";

/** Instead of names: use the default. */
const USUAL = "usual";

/**
 * The selected names, from comma-separated or repeated values; empty for the default.
 *
 * @throws InvalidInputError with similar names
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
