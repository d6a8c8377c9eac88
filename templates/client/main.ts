import { startCopy } from "./copy.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startLogLines } from "./log-lines.ts";
import { startTheme } from "./theme.ts";
import { startTimes } from "./times.ts";

startTheme();
startTimes();
startCopy();
startKeys();
startLive();
startLogLines();
