import { onOff } from "../inputs/parameter.ts";
import { atomicServiceInput } from "../inputs/runners.ts";
import { fragment, page, question, refresh } from "./model/declare.ts";

const answers = () => import("../api/runners.ts");
const schedule = { answer: async () => (await answers()).AtomicScheduling, input: {} };

export const atomicService = question({
  name: "atomic-service",
  area: "runners",
  summary: "list runs of the atomic service, or show whose turn it is",
  input: atomicServiceInput,
  addresses: [
    page("/runners/atomic-service/timeline", { summary: "Runs of the atomic service" }),
    page("/runners/atomic-service/scheduling", { ...schedule, summary: "Schedule of the atomic service" }),
    { ...refresh("/runners/atomic-service/scheduling/refresh", "the scheduling page"), ...schedule },
    page("/runners/atomic-service/runs/:run_id", {
      summary: "One run of the atomic service",
      answer: async () => (await answers()).AtomicRun,
    }),
    fragment("/runners/atomic-service/runs/:id/panel", "One run of the atomic service, for the timeline's panel"),
  ],
  command: {
    usage: "atomic-service",
    group: "things",
    rows: [{ in: "executions", id: ["atomic_service_run_id"] }],
    examples: [
      "monitor atomic-service",
      "monitor atomic-service --status blocked",
      "monitor atomic-service --schedule --json | jq '.runners[].reason'",
    ],
    options: {
      schedule: onOff("show the current slots, and whether each runner may start", { flag: "--schedule" }),
    },
    watch: true,
  },
  async answers() {
    const { AtomicScheduling, AtomicTimeline } = await answers();
    return [AtomicTimeline, AtomicScheduling];
  },
});
