/** A log line for the terminal: its text, coloured and linked, with what the store adds on a second line. */
import type { LogLine, LogLineReference, LogLineStatus } from "../../api/logs.ts";
import { createLinks } from "../../presentation/links.ts";
import { shortId, visible, visibleLine } from "../../presentation/text.ts";
import { thingHref } from "../../presentation/thing-links.ts";
import type { Paint } from "./colour.ts";

export interface LogPrinter {
  paint: Paint;
  /** Address of a running monitor if the terminal can show links; null prints none. */
  baseUrl: URL | null;
  /** The app that links lead to. */
  appId: string;
  /** Runners that were explained already: they appear in every line, but are explained only once. */
  named: Set<string>;
}

/** The entry as in the log, then a line with what the store knows about the objects it names, if anything. */
export function logLines(line: LogLine, printer: LogPrinter): string[] {
  const facts = factsOf(line, printer);
  const words = annotatedText(line, printer);
  return facts.length === 0 ? [words] : [words, printer.paint.dim(`  ↳ `) + facts.join(printer.paint.dim("; "))];
}

function annotatedText({ text, level, message_start, references, statuses }: LogLine, printer: LogPrinter): string {
  const { paint } = printer;
  const marks: (LogLineReference | LogLineStatus)[] = [...references, ...statuses].sort((a, b) => a.start - b.start);
  const mild = level === "warning" ? paint.warning : null;
  const severe = level === "error" || level === "critical" ? paint.error : mild;
  const words = (from: number, to: number) => {
    const head = visible(text.slice(from, Math.max(from, Math.min(to, message_start))));
    const message = visible(text.slice(Math.max(from, message_start), Math.max(to, message_start)));
    return (head === "" ? "" : paint.dim(head)) + (message === "" ? "" : (severe?.(message) ?? message));
  };
  let shown = "";
  let at = 0;
  for (const mark of marks) {
    const own = visible(text.slice(mark.start, mark.end));
    shown += words(at, mark.start) + ("kind" in mark ? named(mark, own, printer) : paint.status(mark.status, own));
    at = mark.end;
  }
  return shown + words(at, text.length);
}

function named(reference: LogLineReference, shown: string, { paint, baseUrl, appId }: LogPrinter): string {
  const { state } = reference;
  if (state === "unknown" || state === "ambiguous") return paint.warning(shown);
  const bold = paint.bold(shown);
  if (baseUrl === null) return bold;
  const { href } = new URL(thingHref(createLinks(appId), reference), baseUrl);
  return `\u001b]8;;${href}\u001b\\${bold}\u001b]8;;\u001b\\`;
}

/** For each object that the line names, what its text does not say. */
function factsOf({ references }: LogLine, printer: LogPrinter): string[] {
  const seen = new Set<string>();
  return references.flatMap((reference) => {
    const key = `${reference.kind} ${reference.id}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const words = factOf(reference, printer);
    return words === null ? [] : [words];
  });
}

function factOf(reference: LogLineReference, { paint, named }: LogPrinter): string | null {
  const { kind, id, part, state, status, task_id_key, detail, candidates } = reference;
  const name = `${kind.replaceAll("_", " ")} ${visibleLine(shortId(id))}`;
  // Valid conditions are deleted once their triggers have run, so a missing one means nothing.
  if (state === "unknown" && kind === "valid_condition") return null;
  if (state === "unknown") return paint.warning(`${name} is not in this store`);
  if (state === "ambiguous") return paint.warning(`${name} may be ${candidates.map(visibleLine).join(" or ")}`);
  if (kind === "runner") {
    if (named.has(id) || (part === null && detail === null)) return null;
    named.add(id);
    return `runner ${visibleLine(id)}${detail === null ? "" : ` ${visibleLine(detail)}`}`;
  }
  if (kind === "task") return null;
  const facts = [
    task_id_key === null ? null : paint.bold(visibleLine(task_id_key)),
    status === null ? null : paint.status(status, visibleLine(status)),
    detail === null ? null : visibleLine(detail),
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? null : [name, ...facts].join(" ");
}
