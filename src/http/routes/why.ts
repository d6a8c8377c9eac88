import { MuteContent, UnmuteContent } from "../../../templates/pages/mute.tsx";
import { WhyContent } from "../../../templates/pages/why.tsx";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import { mute, previewMute, previewUnmute, unmute } from "../../services/actions/mute.ts";
import { PAGE_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { why } from "../../services/why/why.ts";
import { actionRoutes } from "../action-route.tsx";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const whyRoutes: Route[] = [
  ...pageRoutes({
    path: "/why",
    region: "why",
    nav: null,
    load: async (app, { query, links }) => placedWhy(links, await why(app, query, PAGE_PATIENCE)),
    title: ({ subject }) => (subject.kind === "app" ? "Why" : `Why: ${subject.label}`),
    content: WhyContent,
  }),
  ...actionRoutes({
    path: "/why/mute",
    nav: "dashboard",
    action: "mute",
    preview: previewMute,
    perform: mute,
    title: () => "Mute this problem",
    content: MuteContent,
    after: (links) => links.dashboard(),
  }),
  ...actionRoutes({
    path: "/why/unmute",
    nav: "dashboard",
    action: "unmute",
    preview: previewUnmute,
    perform: unmute,
    title: () => "Show this problem again",
    content: UnmuteContent,
    after: (links) => links.dashboard(),
  }),
];
