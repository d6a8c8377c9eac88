import type { AllowedSilence } from "../../../src/api/runners.ts";
import { duration } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

/** Explains why runners count as silent sooner than the setting says. Renders nothing if the setting applies. */
export function SilenceNote({
  silence: { allowed_seconds: seconds, setting_seconds, recovery },
}: {
  silence: AllowedSilence;
}) {
  const links = useLinks();
  if (recovery === null) return null;
  return (
    <Notice tone="info">
      A runner counts as silent after {duration(seconds)} without a heartbeat.{" "}
      <code>runner_considered_dead_after_minutes</code> is {duration(setting_seconds)} as far as this monitor can see,
      but the app's own recovery took the invocation{" "}
      <Id value={recovery.invocation_id} href={links.invocation(recovery.invocation_id)} copy={false} /> from the runner{" "}
      <Id value={recovery.runner_id} href={links.runner(recovery.runner_id)} copy={false} /> that soon,{" "}
      <Time iso={recovery.at} relative />.
    </Notice>
  );
}
