import { tmpdir } from "node:os";
import { discoverStore } from "../../config/discovery.ts";
import { type ResolvedConfiguration, resolveConfiguration } from "../../config/options.ts";
import { refuseReachableHost, servedOptions } from "../../config/reachable-host.ts";
import type { Environment } from "../../config/setting-sources.ts";
import { shellWord } from "../../config/shell-word.ts";
import { DEMO_APP_ID } from "../../demo/story/story.ts";
import { LAYOUTS, type Layout, NEWEST_LAYOUT } from "../../demo/writer/schema.ts";
import { SERVER_LAYOUT } from "../../demo/writer/server-writer.ts";
import { type InputProblem, InvalidInputError } from "../../errors.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { type DemoLocation, demoFile, demoServer } from "../demo-location.ts";
import type { Flags } from "../flags.ts";
import { invokedAs } from "../invoked-as.ts";
import { Output } from "../print/output.ts";
import { closedBySignal, runServer } from "../run-server.ts";
import { openServed } from "../session.ts";

const MAX_SIZE = 10_000_000;

/**
 * `monitor demo`: writes an example app and serves it. Without `--live` the clock is fixed at the time of writing: otherwise every runner of
 * the example would be dead ten minutes later.
 */
export async function run(flags: Flags): Promise<void> {
  const { size, seed, layout } = readOptions(flags);
  const live = flags.live === true;
  const serves = flags.serve !== false;
  const env = ownEnvironment(process.env);
  // Reject bad options before anything is written.
  const configuration = resolveConfiguration({ flags, env, cwd: tmpdir() });
  const { options } = configuration;
  if (serves) refuseReachableHost(servedOptions(options));
  if (live && options.now.value !== null) {
    throw new InvalidInputError([
      {
        parameter: options.now.origin,
        value: isoFromEpoch(options.now.value),
        accepted: "--live needs the real clock; use one or the other",
      },
    ]);
  }
  const now = options.now.value ?? Date.now() / 1000;
  const out = new Output(options);
  const location = locationOf(flags, layout, configuration);
  // With --no-serve the data is for other commands, so it is kept.
  const leave = () => {
    if (serves) location.leave();
  };
  process.once("exit", leave);
  try {
    await location.write({ now, seed, ...(size !== undefined && { size }), live });
    if (!serves) {
      if (out.json) out.document({ [location.kind]: location.name, app_id: DEMO_APP_ID });
      else out.lines([location.name]);
      const flag = location.kind === "url" ? "--url" : "--db";
      out.say(
        `To view it: ${invokedAs()} serve --app ${DEMO_APP_ID} ${flag} ${shellWord(location.name)}`,
        `For commands in this terminal: ${exported(location, live ? null : now)}`,
      );
      if (!live) return;
      out.say("The demo app is running. Press Ctrl-C to stop it.");
      const stay = setInterval(() => undefined, 60_000);
      await closedBySignal(async () => clearInterval(stay));
      return;
    }
    out.say(
      `The demo app is in ${location.name}${location.temporary ? " and will be deleted when the monitor stops" : ""}.`,
      `For another terminal: ${exported(location, live ? null : now)}`,
    );
    const served = {
      ...flags,
      ...location.flags,
      app: flags.app ?? DEMO_APP_ID,
      // The next demo writes a different history.
      cache: false,
      ...(!live && { now: isoFromEpoch(now) }),
    };
    await runServer(
      served,
      await openServed(served, { env, cwd: tmpdir(), writes_at: live ? null : now }),
      () => undefined,
    );
  } finally {
    await location.close();
    leave();
  }
}

/** The line after which commands in another terminal are about the demo, at its present. */
function exported({ kind, name }: DemoLocation, now: number | null): string {
  const variables = {
    [kind === "url" ? "URL" : "DB"]: name,
    APP: DEMO_APP_ID,
    ...(now !== null && { NOW: isoFromEpoch(now) }),
  };
  return `export ${Object.entries(variables)
    .map(([variable, value]) => `PYNENC_MONITOR_${variable}=${shellWord(value)}`)
    .join(" ")}`;
}

function locationOf(flags: Flags, layout: Layout, { options, settings }: ResolvedConfiguration): DemoLocation {
  if (flags.url === undefined) return demoFile(flags.db === undefined ? undefined : String(flags.db), layout);
  const found = discoverStore({ options, settings, cwd: tmpdir() });
  if (found.kind === "sqlite") throw new Error("--url names a server");
  return demoServer(found);
}

/** The user's own settings, file and app name must not affect the demo. */
function ownEnvironment(env: Environment): Environment {
  const foreign = /^PYNENC__|^PYNENC_MONITOR_(?:APP|DB|BACKEND|URL|CONFIG)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

function readOptions(flags: Flags): { size: number | undefined; seed: number; layout: Layout } {
  const problems: InputProblem[] = [];
  const read = (flag: string, min: number, max: number): number | undefined => {
    const given = flags[flag];
    if (given === undefined) return undefined;
    const value = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    problems.push({
      parameter: `--${flag}`,
      value: String(given),
      accepted: `expected a whole number from ${min} to ${max}`,
    });
    return undefined;
  };
  const size = read("size", 1, MAX_SIZE);
  const seed = read("seed", 0, 4_294_967_295) ?? 1;
  const [possible, newest] =
    flags.url === undefined
      ? [LAYOUTS, NEWEST_LAYOUT]
      : [LAYOUTS.filter((one) => one === SERVER_LAYOUT), SERVER_LAYOUT];
  const layout = flags.layout === undefined ? newest : possible.find((one) => one === flags.layout);
  if (layout === undefined) {
    const accepted =
      flags.url === undefined
        ? `expected one of ${possible.join(", ")}`
        : `expected ${SERVER_LAYOUT} with --url: no published plugin for servers supports named queues`;
    problems.push({ parameter: "--layout", value: String(flags.layout), accepted });
  }
  if (problems.length > 0 || layout === undefined) throw new InvalidInputError(problems);
  return { size, seed, layout };
}
