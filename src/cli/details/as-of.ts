import type { FamilyPicture, FamilyRow, LifeStretch } from "../../api/causes.ts";
import type { ShownKind } from "../../api/show.ts";
import { PATH_PHASE_WORDS } from "../../presentation/critical-path.ts";
import { count, NOTHING, visibleLine } from "../../presentation/text.ts";
import { KIND_LABELS } from "../../presentation/thing-links.ts";
import { familyPicture, parseFamilyInput } from "../../services/causes/family-picture.ts";
import { pictureLines, pictureRemarks } from "../print/families.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, seconds } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** Kinds whose past can be derived from the status history. For a workflow run, that of its root invocation. */
const NODES: { readonly [Kind in ShownKind]?: FamilyPicture["focus_kind"] } = {
  invocation: "invocation",
  workflow: "invocation",
  event: "event",
  trigger_run: "trigger_run",
};

/** What is known about a thing as of an instant in the past; null for kinds whose past is not known. */
export function detailsAsOf(kind: ShownKind): Detail<FamilyPicture> | null {
  const node = NODES[kind];
  if (node === undefined) return null;
  return { load: (then, id) => familyPicture(then, node, id, parseFamilyInput({})), print };
}

function print(picture: FamilyPicture, _now: number, out: Output): void {
  const { paint } = out;
  const row = picture.rows.find(({ focus }) => focus);
  const mark = picture.rows.flatMap(({ marks }) => marks).find(({ focus }) => focus);
  if (row?.invocation != null) {
    const { task_id_key, status } = row.invocation;
    const head = `${paint.bold(visibleLine(task_id_key ?? "unknown task"))}  ${paint.status(status, visibleLine(status))}`;
    out.lines([head, "", ...facts(overview(row.invocation), out)]);
  } else {
    const label = mark?.label ? visibleLine(mark.label) : NOTHING;
    const at = mark?.at == null ? null : time(mark.at);
    out.lines([
      paint.bold(label),
      "",
      ...facts(
        [
          [KIND_LABELS[picture.focus_kind], visibleLine(picture.focus_id)],
          ["At", at],
        ],
        out,
      ),
    ]);
  }
  if (row !== undefined && row.stretches.length > 0) {
    out.lines(heading("What it had done", out));
    out.table(STRETCHES, row.stretches, "  ");
  }
  if (picture.rows.length > 1 || mark !== undefined) {
    out.lines([...heading("Family", out), ...pictureLines(picture, out)]);
  }
  out.say(...pictureRemarks(picture));
}

function overview(row: NonNullable<FamilyRow["invocation"]>): [string, string | null][] {
  return [
    ["Invocation", visibleLine(row.invocation_id)],
    ["Registered", row.registered_at === null ? null : time(row.registered_at)],
    [row.final ? "Ended" : "In this status since", row.status_at === null ? null : time(row.status_at)],
    ["Retries", row.retry_count ? count(row.retry_count) : null],
  ];
}

const STRETCHES: readonly Column<LifeStretch>[] = [
  { title: "PHASE", cell: ({ phase }) => PATH_PHASE_WORDS[phase] },
  { title: "FROM", cell: ({ from }) => time(from) },
  { title: "TIME", cell: ({ duration_seconds: length, ongoing }) => `${seconds(length)}${ongoing ? " so far" : ""}` },
  { title: "ATTEMPT", cell: ({ attempt }) => count(attempt) },
  { title: "RUNNER", cell: ({ runner_id }) => (runner_id === null ? NOTHING : visibleLine(runner_id)) },
];
