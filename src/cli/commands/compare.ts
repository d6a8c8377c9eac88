import type { ComparedDifference, ComparedSide, Comparison } from "../../api/compare.ts";
import {
  baselineName,
  COULD_BE_CHANCE,
  differenceFigure,
  differenceName,
  medianFacts,
  nothingChosen,
  sideFigure,
  sideSize,
  whatItMeans,
} from "../../presentation/comparison.ts";
import { count, NOTHING, visibleLine } from "../../presentation/text.ts";
import { compare } from "../../questions/compare.ts";
import { readInvocationInput } from "../../services/invocations/invocations.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import { answering } from "../answering.ts";
import { conflict } from "../exported.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading } from "../print/text.ts";
import { time } from "../print/zone.ts";

/** `monitor compare`: what differs between a selection of invocations and a baseline. */
export const run = answering(compare, print, async ({ here, there }, app, { with: baseline, limit: _, ...filter }) => {
  const word = baseline?.at(-1) ?? "";
  // A text that no invocation carries is rather a word that was mistyped.
  if (there.compared === 0 && /^[a-z]+$/i.test(word) && !["rest", "before"].includes(word.toLowerCase()))
    throw conflict("--with", word, "expected rest, before, or a search that finds invocations");
  return here.compared > 0 ? [] : unknownNames(app, (await readInvocationInput(app, filter)).filter);
});

function print(model: Comparison, out: Output): void {
  if (nothingChosen(model)) {
    out.lines([...model.notes]);
    return;
  }
  const compared = model.here.compared > 0 && model.there.compared > 0;
  out.lines(
    facts(
      [
        ["Selected", `${sideSize(model.here)}${searchOf(model.here)}${range(model)}`],
        ["Baseline", `${sideSize(model.there)}, ${visibleLine(baselineName(model))}`],
        ...(compared ? medianFacts(model).map(({ label, value }) => [label, value] as const) : []),
        ["Not compared", model.left_out.length === 0 ? null : visibleLine(model.left_out.join(", "))],
      ],
      out,
    ),
  );
  if (model.differences.length > 0) {
    out.lines([""]);
    out.table(columns(), model.differences);
  }
  if (compared) out.say(whatItMeans(model));
  if (model.closest.length > 0) {
    out.lines(heading(`Closest, ${COULD_BE_CHANCE}`, out));
    out.table(columns(), model.closest);
  }
  if (model.differences_total > model.differences.length) {
    out.say(
      `The largest ${count(model.differences.length)} of ${count(model.differences_total)} are listed; --limit lists more.`,
    );
  }
  out.say(...model.notes);
}

function searchOf({ filter: { query } }: ComparedSide): string {
  return query.length === 0 ? "" : `, ${visibleLine(query.join(" "))}`;
}

function range({ span: { from, to } }: Comparison): string {
  return `${from === null ? "" : `, from ${time(from)}`}${to === null ? "" : `, to ${time(to)}`}`;
}

function columns(): Column<ComparedDifference>[] {
  return [
    { title: "DIFFERENCE", align: "right", cell: differenceFigure },
    { title: "WHAT", cell: differenceName, cut: "end", min: 20 },
    { title: "HERE", cell: ({ here }) => sideFigure(here) },
    { title: "THERE", cell: ({ there }) => sideFigure(there) },
    {
      title: "ALSO THE SAME",
      cell: ({ alike }) => alike.map(({ words }) => words).join(", ") || NOTHING,
      cut: "end",
      min: 12,
      optional: true,
    },
    { title: "SEARCH", cell: ({ query }) => query ?? NOTHING, cut: "end", min: 12, optional: true },
  ];
}
