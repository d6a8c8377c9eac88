import { startCopy } from "./copy.ts";
import { startFamilyTree } from "./family-tree.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startLogLines } from "./log-lines.ts";
import { startSelection } from "./selection.ts";
import { startTheme } from "./theme.ts";
import { startTimelines } from "./timeline/timeline.ts";
import { startTimes } from "./times.ts";

startTheme();
startTimes();
startCopy();
startKeys();
startLive();
startFamilyTree();
startTimelines();
startLogLines();
startSelection();
