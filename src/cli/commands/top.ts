import { STATS_ORDERS, TOP_RANGES } from "../../api/words.ts";
import { wantsJson } from "../../config/options.ts";
import { MonitorError } from "../../errors.ts";
import { linksTo } from "../../presentation/links.ts";
import { visible } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { top } from "../../questions/top.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { top as read } from "../../services/health/top.ts";
import { DETAILS } from "../details/all.ts";
import { oneOf } from "../exported.ts";
import { type Flags, inFlagWords } from "../flags.ts";
import type { Output } from "../print/output.ts";
import { pause, Screen } from "../screen/screen.ts";
import { outputOf, withApp, withFollowedApp } from "../session.ts";
import { rowTargets, topFrame } from "../top/frame.ts";
import { INITIAL, keyPressed, type Target, type TopState } from "../top/state.ts";

/** How many tasks and groups of failures are read. */
const ROWS = 50;

/** Interval of checks for changes in the store. */
const POLL_MS = 1_000;

/** Refresh interval without changes: heartbeats get older all the same. */
const READ_AGAIN_MS = 10_000;

type View = Awaited<ReturnType<typeof viewOf>>;

/** `monitor top`: the state of an app at a glance, kept up to date; printed once with `--once` or `--json`. */
export async function run(flags: Flags): Promise<void> {
  const sort = oneOf("--sort", flags.sort ?? INITIAL.sort, STATS_ORDERS);
  const first: TopState = { ...INITIAL, range: oneOf("--range", flags.range ?? "1h", TOP_RANGES), sort };
  const view = (app: OpenedApp) => inFlagWords(top.input, () => viewOf(app, first));
  if (flags.once !== true && !wantsJson(flags.json, process.env)) {
    return withFollowedApp(flags, async (app, options) => {
      await shown(app, () => outputOf(options, flags), first, await view(app));
    });
  }
  await withApp(flags, async (app, out) => {
    if (out.json) return out.document(await view(app));
    out.lines(topFrame(await view(app), first, { columns: out.width, rows: null }, out.paint, null));
  });
}

async function viewOf(app: OpenedApp, { range, sort }: TopState) {
  return withSteps(await linksTo(app), await read(app, { range: [range] }, { limit: ROWS, sort }));
}

async function shown(app: OpenedApp, output: () => Output, first: TopState, firstView: View): Promise<void> {
  const screen = Screen.open("top", "Use --once, or --json.");
  let [state, view, note] = [first, firstView, null as string | null];
  let wake: () => void = () => {};
  let failed: unknown = null;
  const paint = () => {
    const out = output();
    screen.paint(topFrame(view, state, { columns: screen.columns, rows: screen.rows }, out.paint, note));
  };
  const open = async (target: Target | undefined) => {
    if (target === undefined) return;
    const { load, print } = DETAILS[target.kind];
    const lines = await output()
      .framed(async (out) => print(await load(app, target.id), app.now(), out))
      .catch(words);
    state = { ...state, opened: { lines, offset: 0 } };
    paint();
  };
  try {
    screen.onKey((key) => {
      const targets = rowTargets(view, state);
      const [next, effect] = keyPressed(state, key, [...targets.keys()], screen.rows);
      state = next;
      if (effect === "end") screen.end();
      if (effect === "read") wake();
      if (effect === "open") {
        open(targets.get(state.selected ?? "")).catch((error: unknown) => {
          failed = error;
          screen.end();
        });
      }
      paint();
    });
    screen.onResize(paint);
    paint();
    let [token, readAt] = [await app.store.version(), performance.now()];
    let asked = false;
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = () => {
          asked = true;
          resolve();
        };
      });
      if (!(await pause(screen, POLL_MS, woken))) break;
      if (state.paused && !asked) continue;
      try {
        const current = await app.store.version();
        if (!asked && note === null && current === token && performance.now() - readAt < READ_AGAIN_MS) continue;
        asked = false;
        view = await viewOf(app, state);
        [token, readAt, note] = [current, performance.now(), null];
      } catch (error) {
        [note] = words(error);
      }
      paint();
    }
    if (failed !== null) throw failed;
  } finally {
    screen.close();
  }
}

/** The message for a failure that may be temporary: the store is locked or unreachable, or something was purged. */
function words(error: unknown): [string, ...string[]] {
  if (!(error instanceof MonitorError)) throw error;
  return [visible(error.message), ...(error.hint ? [visible(error.hint)] : [])];
}
