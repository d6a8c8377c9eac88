import type { CriticalPath } from "../../api/model/critical-path.ts";
import { PATH_PHASE_WORDS, PATH_SHARES, pathRemark } from "../../presentation/critical-path.ts";
import { duration, NOTHING, percentage, shortId } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { Output } from "./output.ts";
import { heading } from "./text.ts";

/** Where the time went, including the invocations that were waited for. */
export function printPath(path: CriticalPath, out: Output): void {
  const { shares, microseconds: whole, notes } = path;
  out.lines(heading("Critical path", out));
  out.table(
    [
      { title: "TIME", align: "right", cell: (share) => duration(share.duration_seconds) },
      { title: "SHARE", align: "right", cell: (share) => percentage(share.microseconds / whole) },
      { title: "PHASE", cell: (share) => PATH_PHASE_WORDS[share.phase] },
      {
        title: "INVOCATION",
        cell: (share) => (share.link === null ? "this one" : share.invocation_id),
        narrow: (share) => (share.link === null ? "this one" : shortId(share.invocation_id)),
      },
      { title: "TASK", cell: (share) => share.task_id_key ?? NOTHING, cut: "start" },
    ],
    shares.slice(0, PATH_SHARES),
    "  ",
  );
  const more = shares.length - PATH_SHARES;
  if (more > 0) out.say(`${counted(more, "smaller share")} left out here; --json has all.`);
  const remark = pathRemark(path);
  for (const note of remark === null ? notes : [remark, ...notes]) out.say(note);
}
