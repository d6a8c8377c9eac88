/** Arguments of a call as pages and JSON show them, possibly cut. */
import type { ShownArguments, ShownValue } from "../../api/model/values.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { argumentsBeginning, argumentsMap, displayBeginning } from "../../pynenc/values.ts";
import { SHOWN_CHARACTERS } from "./stored-values.ts";

/** Arguments of a definition, before their values are formatted. */
export interface StoredArguments {
  /** Stored texts that may contain references. */
  texts: string[];
  /** @param show from `valueReader` for `texts`. */
  shown(show: (stored: string) => ShownValue): ShownArguments;
}

export function storedArguments(definition: InvocationRecord | undefined): StoredArguments {
  if (definition === undefined) return known(new Map());
  const { serialized_arguments, whole_size } = definition;
  if (whole_size !== undefined) return beginning(serialized_arguments, whole_size);
  const values = argumentsMap(serialized_arguments);
  return values === null ? unreadable(serialized_arguments, null) : known(values);
}

function known(values: ReadonlyMap<string, string>): StoredArguments {
  return {
    texts: [...values.values()],
    shown: (show) => ({
      arguments: [...values].map(([name, stored]) => ({ name, value: show(stored) })),
      arguments_unreadable: null,
      arguments_too_large: null,
    }),
  };
}

function unreadable(text: string, tooLarge: number | null): StoredArguments {
  return {
    texts: [],
    shown: () => ({
      arguments: [],
      arguments_unreadable: text.slice(0, SHOWN_CHARACTERS),
      arguments_too_large: tooLarge,
    }),
  };
}

function beginning(text: string, size: number): StoredArguments {
  const read = argumentsBeginning(text);
  if (read === null) return unreadable(text, size);
  const [name, stored] = read.cut;
  const cut = { stored: displayBeginning(stored, null, SHOWN_CHARACTERS), resolved: null, dangling: false };
  return {
    texts: [...read.whole.values()],
    shown: (show) => ({
      arguments: [...[...read.whole].map(([one, value]) => ({ name: one, value: show(value) })), { name, value: cut }],
      arguments_unreadable: null,
      arguments_too_large: size,
    }),
  };
}
