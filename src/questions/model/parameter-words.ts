/** Parameters in words: for help, schemas and messages. */
import type { Parameter, WordParameter } from "../../inputs/parameter.ts";

/** `Only this task.` */
export function sentence(words: string): string {
  return words === "" ? "" : `${capitalized(words)}${/[.!?:]$/.test(words) ? "" : "."}`;
}

function capitalized(words: string): string {
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

/** The meaning with the accepted words and what counts without the parameter. */
export function helpOf(parameter: Parameter): string {
  const { meaning } = parameter;
  if (parameter.kind === "word") return [meaning, wordList(parameter)].filter((part) => part !== "").join(": ");
  const usual = parameter.kind === "switch" ? undefined : "usual" in parameter ? parameter.usual : undefined;
  return usual === undefined ? meaning : `${meaning} (default ${usual})`;
}

/** The meaning, with the accepted words only where they need explaining: schemas list words and defaults themselves. */
export function explainedWords(parameter: Parameter): string {
  if (parameter.kind !== "word" || parameter.explained === undefined) return parameter.meaning;
  const { usual: _usual, ...word } = parameter;
  return helpOf(word);
}

/** `down (what it caused; default), up (what led to it) or both` */
function wordList({ words, explained = {}, usual }: WordParameter): string {
  const all = words.map((one) => {
    const remarks = [explained[one] ?? "", one === usual ? "default" : ""].filter((remark) => remark !== "");
    return remarks.length === 0 ? one : `${one} (${remarks.join("; ")})`;
  });
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

/** The name that a command and an assistant use: `since` for `from`; null if they do not take it. */
export function spokenName({ flag, argument }: Parameter): string | null {
  return argument ?? (flag === undefined ? null : longName(flag));
}

/** `out` for `-o, --out <file>`; `values` for `--no-values`. */
export function longName(flag: string): string {
  return /--(?:no-)?([\w-]+)/.exec(flag)?.[1] ?? "";
}
