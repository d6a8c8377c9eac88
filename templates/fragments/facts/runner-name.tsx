import type { RunnerName as Name } from "../../../src/api/model/runner-names.ts";
import { shortId, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";

export interface RunnerNameProps {
  runner_id: string;
  runner_cls?: string | null | undefined;
  hostname?: string | null | undefined;
  pid?: number | null | undefined;
  /** Its context is not stored, so only the id is known. */
  missing?: boolean | undefined;
}

/** A runner by class and place, with its shortened id, linked to its page. */
export function RunnerName({ runner_id, runner_cls, hostname, pid, missing = false }: RunnerNameProps) {
  const links = useLinks();
  const place = [hostname ?? "", pid ?? ""].filter((part) => part !== "").join(":");
  // The id of code outside any runner already contains class, host and process.
  const telling = /^\w+@/.test(runner_id);
  return (
    <span class="with-mark">
      {runner_cls && !telling && <span>{visibleLine(runner_cls)}</span>}
      {place !== "" && !telling && <bdi class="runner-place muted">{visibleLine(place)}</bdi>}
      <a
        class="id"
        href={links.runner(runner_id)}
        title={[runner_id, runner_cls ?? "", place]
          .filter((part) => part !== "")
          .map(visibleLine)
          .join("\n")}
      >
        <bdi>{visibleLine(shortId(runner_id)) || "(empty)"}</bdi>
      </a>
      {missing && (
        <span class="mark mark-warn" title="No runner context is stored under this id">
          context missing
        </span>
      )}
    </span>
  );
}

/** A runner as view models carry it. */
export function NamedRunner({ name }: { name: Name }) {
  return (
    <RunnerName
      runner_id={name.runner_id}
      runner_cls={name.runner_cls}
      hostname={name.hostname}
      pid={name.pid}
      missing={name.context_missing}
    />
  );
}
