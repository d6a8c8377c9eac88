import { quote, RefusedError } from "../errors.ts";
import { parseAppInfo } from "../pynenc/json-records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { type BulkOptions, bulkBatches } from "./bulk.ts";
import { BILLING_MODULE, DEMO_APP_ID, SECOND_APP_ID, SHOP_MODULE, writeDemoStory } from "./story/story.ts";
import type { ServerWriter } from "./writer/server-writer.ts";
import { moduleFile } from "./writer/writer.ts";

export interface ServerDemoOptions {
  /** Current time of the demo, epoch seconds. */
  readonly now: EpochSeconds;
  readonly seed: number;
  /** Write this many generated invocations instead of the story. */
  readonly size?: number;
}

/** What the demo looks for and replaces on a server. */
export interface DemoPlace {
  readonly location: string;
  /** The JSON of the app's registration, or null. */
  infoOf(appId: string): Promise<string | null>;
  /** Whether the server has nothing of the app. */
  isEmpty(appId: string): Promise<boolean>;
  /** Removes everything of the app, its registration last. */
  remove(appId: string): Promise<void>;
}

/**
 * Writes a demo into a server: the story, or with `size` that many generated invocations. Data of an earlier demo is replaced; other apps are not
 * touched.
 *
 * @throws RefusedError if the server has an app with the same id that the demo did not write; StoreUnreachableError.
 */
export async function writeServerDemo(
  place: DemoPlace,
  writer: ServerWriter,
  { now, seed, size }: ServerDemoOptions,
): Promise<void> {
  for (const appId of [DEMO_APP_ID, SECOND_APP_ID]) await refuseForeign(place, appId);
  for (const appId of [DEMO_APP_ID, SECOND_APP_ID]) await place.remove(appId);
  if (size === undefined) {
    writeDemoStory(writer, { now, seed });
    await writer.outbox.flush();
  } else {
    for await (const _ of serverBulk(writer, { invocations: size, now, seed }));
  }
}

/** Writes the same data as `writeBulk` with the same options into a server. Yields the number of invocations written so far. */
export async function* serverBulk(writer: ServerWriter, options: BulkOptions): AsyncGenerator<number> {
  for (const written of bulkBatches(writer, options)) {
    await writer.outbox.flush();
    writer.forget();
    yield written;
  }
}

/** An app of the demo is recognised by the demo's description. It is written first and deleted last, so data without it belong to someone else. */
async function refuseForeign(place: DemoPlace, appId: string): Promise<void> {
  const info = await place.infoOf(appId);
  const isOwn = info === null ? await place.isEmpty(appId) : isDemo(appId, info);
  if (isOwn) return;
  throw new RefusedError(
    `${place.location} holds an app ${quote(appId)} that was not created by the demo; it was not changed.`,
    "Give the URL of another server, or of another database of this one.",
    409,
  );
}

function isDemo(appId: string, info: string): boolean {
  const { module, module_filepath } = parseAppInfo(info) ?? {};
  const expected = appId === DEMO_APP_ID ? SHOP_MODULE : BILLING_MODULE;
  return module === expected && module_filepath === moduleFile(expected);
}
