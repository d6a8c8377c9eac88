export type Wanted = "page" | "fragment" | "json";

/**
 * What the client wants back. A browser lists text/html first; the scripts of a page ask for a fragment with `HX-Request`; anything that names
 * JSON and not HTML gets JSON. curl's `*` + `/*` gets the page, but JSON for changes, because forms in browsers name HTML.
 */
export function wantedForm(headers: Headers, method: string): Wanted {
  if (headers.get("hx-request") === "true") return "fragment";
  const accepted = parseAccept(headers.get("accept") ?? "");
  const json = Math.max(accepted.get("application/json") ?? 0, accepted.get("application/problem+json") ?? 0);
  const html = Math.max(accepted.get("text/html") ?? 0, accepted.get("application/xhtml+xml") ?? 0);
  return json > html || (method === "POST" && html === 0) ? "json" : "page";
}

/** Media type to quality; a quality that is not a number counts as 1. */
function parseAccept(header: string): Map<string, number> {
  const accepted = new Map<string, number>();
  for (const part of header.slice(0, 1_000).split(",")) {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const quality = q === undefined ? 1 : Number(q);
    if (type !== "") accepted.set(type, Number.isFinite(quality) ? quality : 1);
  }
  return accepted;
}
