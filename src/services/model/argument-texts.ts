import { plainText, withoutEscapes } from "../../pynenc/json-text.ts";
import { type JsonNode, ROOT, scanPythonJson } from "../../pynenc/python-json.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { argumentsAsRead } from "../../pynenc/values.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { valueReader } from "./stored-values.ts";

/** Characters of a stored text that are searched, and bytes of a stored exception. */
export const SEARCHED = 200_000;

/**
 * Texts of the arguments of each candidate, with references to the client data store resolved: all arguments, or the value at the path. Absent if the
 * definition is gone; empty if the path does not exist.
 */
export async function argumentTexts(
  reads: AppReads,
  candidates: readonly { invocation_id: string; definition: InvocationRecord | undefined }[],
  path: string | null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const maps = candidates.flatMap(({ invocation_id, definition }) => {
    if (definition === undefined) return [];
    const { serialized_arguments: text } = definition;
    return [{ invocation_id, text, values: argumentsAsRead(text, definition) }];
  });
  const show = await valueReader(
    reads,
    maps.flatMap(({ values }) => [...(values?.values() ?? [])]),
    SEARCHED,
  );
  const shown = (text: string) => {
    const { stored: own, resolved } = show(text);
    return (resolved ?? own).text;
  };
  return new Map(
    maps.map(({ invocation_id, text, values }) => {
      // Arguments that cannot be parsed are searched as stored.
      if (values === null) return [invocation_id, path === null ? [text] : []];
      if (path === null) {
        const texts = [...values].flatMap(([name, value]) =>
          searchedTexts(shown(value)).map((one) => `${name}=${one}`),
        );
        return [invocation_id, texts];
      }
      const [name = "", ...members] = path.split(".");
      const value = values.get(name);
      return [invocation_id, value === undefined ? [] : textsAt(shown(value), members)];
    }),
  );
}

/** The value at a path inside a JSON text: strings as they are, anything else as JSON. */
function textsAt(text: string, members: readonly string[]): string[] {
  const document = scanPythonJson(text);
  if (document === null) return members.length === 0 ? [text] : [];
  let node: JsonNode | null = ROOT;
  for (const member of members) {
    const items: JsonNode[] = document.kind(node) === "array" ? [...document.children(node)] : [];
    node = document.member(node, member) ?? items[Number(member)] ?? null;
    if (node === null) return [];
  }
  return [plainText(document, node)];
}

/** Both forms of a value that can be searched for: as stored, without quotes and escapes (`C:\Users`), and as shown (`"C:\\Users"`). */
function searchedTexts(shown: string): string[] {
  const plain = withoutEscapes(/^(["']).*\1$/s.test(shown) ? shown.slice(1, -1) : shown);
  return plain === shown ? [shown] : [plain, shown];
}
