/** As much of XML 1.0 as a drawing of ours uses, read strictly: what a browser or an editor would refuse is an error here. */

/** Character data and values of attributes: no markup, no end of a CDATA section, entities of XML alone, characters of XML alone. */
const CHARACTER = "[\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\u{10000}-\\u{10ffff}]";
const ENTITY = "&(?:amp|lt|gt|quot|apos|#\\d+|#x[0-9a-fA-F]+);";
const TEXT = new RegExp(`^(?:(?![<&]|\\]\\]>)${CHARACTER}|${ENTITY})*$`, "u");
const NAME = "[A-Za-z_][\\w.:-]*";
const TAG = new RegExp(`^<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>$`, "u");

/** Why the document is not well-formed, or null when it is. */
export function xmlFault(document: string): string | null {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(declaration)) return "no XML declaration";
  const open: string[] = [];
  let roots = 0;
  for (const [piece] of document.slice(declaration.length).matchAll(/<[^>"]*(?:"[^"]*"[^>"]*)*>|[^<]+|</g)) {
    if (!piece.startsWith("<")) {
      if (!TEXT.test(piece)) return `text: ${JSON.stringify(piece.slice(0, 200))}`;
      if (open.length === 0 && piece.trim() !== "") return `text outside of the root: ${piece.slice(0, 200)}`;
      continue;
    }
    const tag = TAG.exec(piece);
    if (tag === null) return `tag: ${JSON.stringify(piece.slice(0, 200))}`;
    const [, closing, name = "", attributes = "", empty] = tag;
    const names = [...attributes.matchAll(/([^\s=]+)="([^"]*)"/g)];
    if (new Set(names.map(([, attribute]) => attribute)).size !== names.length) return `attribute twice: ${piece}`;
    const wrong = names.find(([, , value]) => !TEXT.test((value ?? "").replaceAll("]]>", "")));
    if (wrong !== undefined) return `attribute: ${JSON.stringify(wrong[0])}`;
    if (closing === "/") {
      if (open.pop() !== name) return `</${name}> ends nothing`;
      continue;
    }
    if (open.length === 0) roots++;
    if (empty !== "/") open.push(name);
  }
  if (open.length > 0) return `<${open.at(-1)}> is not ended`;
  return roots === 1 ? null : `${roots} roots`;
}
