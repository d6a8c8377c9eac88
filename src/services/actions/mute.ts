/** Mutes verdicts for a time: all with a code, or those about certain objects. Nothing in the store changes. */

import type { Mute, MuteList, MuteOutcome, MutePreview, UnmuteOutcome, UnmutePreview } from "../../api/verdicts.ts";
import { InvalidInputError, NotFoundError, quote, RefusedError, systemReason } from "../../errors.ts";
import { muteInput, unmuteInput } from "../../inputs/actions.ts";
import { counted } from "../../pynenc/numbers.ts";
import { type EpochSeconds, isoFromEpoch, utcText } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { lengthOf } from "../input/moment.ts";
import { queuesOf } from "../model/queue-health.ts";
import { resolveTexts } from "../model/resolve-ids.ts";
import { taskKeys, tasksNamed } from "../model/task-keys.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { isMuted, mainIds, mutesOf } from "../verdicts/muted.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import { isAppCode } from "../verdicts/verdicts.ts";
import { READ_ONLY } from "./action-preview.ts";

/** Limit of objects named in one mute. */
const MAX_IDS = 100;

const DAY = 86_400;
const DEFAULT_LENGTH = "8h";
const MAX_DAYS = 90;

interface MuteRequest {
  code: Mute["code"];
  ids: string[];
  until: EpochSeconds;
}

async function read(app: OpenedApp, raw: RawInput): Promise<MuteRequest> {
  const { code, ids: named, everything, for: given = DEFAULT_LENGTH } = parseInput(muteInput, raw);
  const ids = everything ? [] : [...new Set(named.filter((id) => id !== ""))];
  if (ids.length > MAX_IDS) {
    const accepted = `at most ${MAX_IDS} ids; without any, every verdict with this code is muted`;
    throw new InvalidInputError([{ parameter: "ids", value: `${ids.length} ids`, accepted }]);
  }
  const seconds = lengthOf(given);
  if (seconds === null || seconds > MAX_DAYS * DAY) {
    const accepted = `a length of time such as 8h or 3d, at most ${MAX_DAYS} days`;
    throw new InvalidInputError([{ parameter: "for", value: given, accepted }]);
  }
  return { code: codeOf(code), ids: await subjects(app, ids), until: app.now() + seconds };
}

/** The ids in full, of what is stored or what verdicts name now. @throws NotFoundError, InvalidInputError */
async function subjects(app: OpenedApp, texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return [];
  const named = new Set((await verdictsNow(app)).flatMap(mainIds));
  const [tasks, [found, queues]] = await Promise.all([
    taskKeys(app),
    app.store.read((reads) =>
      Promise.all([
        resolveTexts(
          reads,
          texts.map((text) => ({ text })),
        ),
        queuesOf(app, reads),
      ]),
    ),
  ]);
  return texts.map((text, at) => {
    const { matches = [], complete = false } = found[at] ?? {};
    const queue = queues.queues.filter(({ queue_name }) => queue_name === text).map(() => text);
    const ids = named.has(text) ? [text] : [...matches.map(({ id }) => id), ...tasksNamed(text, tasks), ...queue];
    const [only, ...others] = new Set(ids);
    if (only === undefined) throw new NotFoundError("thing", text);
    if (others.length === 0 && (complete || matches.length === 0)) return only;
    throw new InvalidInputError([
      { parameter: "ids", value: text, accepted: "it means several things; name one in full" },
    ]);
  });
}

async function verdictsNow(app: OpenedApp) {
  return (await app.store.read(await appVerdicts(app, PAGE_PATIENCE))).verdicts;
}

function codeOf(text: string): Mute["code"] {
  const code = text.toLowerCase();
  if (isAppCode(code)) return code;
  throw new InvalidInputError([
    { parameter: "code", value: text, accepted: "the code of a verdict, as monitor why --json has it" },
  ]);
}

/** Shows which verdicts would be muted. @throws InvalidInputError, NotFoundError */
export async function previewMute(app: OpenedApp, raw: RawInput): Promise<MutePreview> {
  const { code, ids, until } = await read(app, raw);
  const verdicts = await verdictsNow(app);
  const mutes = [...mutesOf(app), ...entries(app, { code, ids, until })];
  return {
    ...named(app),
    code,
    ids,
    until: isoFromEpoch(until),
    quiet: verdicts
      .filter((verdict) => verdict.code === code && isMuted(verdict, mutes))
      .map(({ sentence }) => sentence),
    named_now: [...new Set(verdicts.filter((verdict) => verdict.code === code).flatMap(mainIds))],
    refused: refusal(app),
  };
}

/** @throws InvalidInputError, NotFoundError, RefusedError if there is no folder to store it in. */
export async function mute(app: OpenedApp, raw: RawInput): Promise<MuteOutcome> {
  const request = await read(app, raw);
  const { code, ids, until } = request;
  assertKept(app);
  const added = entries(app, request);
  const same = (one: Mute) => added.some((other) => isSame(one, other));
  keep(app, (one) => one.until > isoFromEpoch(app.now()) && !same(one), added);
  const what = ids.length === 0 ? code : `${code} for ${counted(ids.length, "item")}`;
  const message = `Muted ${what} of ${app.app_id} until ${utcText(until)}.`;
  return { success: true, action: "mute", app_id: app.app_id, message, code, ids, until: isoFromEpoch(until) };
}

/** Active mutes that would be removed. @throws InvalidInputError, NotFoundError for an id that is not muted. */
export async function previewUnmute(app: OpenedApp, raw: RawInput): Promise<UnmutePreview> {
  return { ...named(app), mutes: matching(app, raw), refused: refusal(app) };
}

/** @throws InvalidInputError, NotFoundError, RefusedError */
export async function unmute(app: OpenedApp, raw: RawInput): Promise<UnmuteOutcome> {
  const gone = matching(app, raw);
  assertKept(app);
  keep(app, (one) => !gone.some((other) => isSame(one, other)), []);
  const message =
    gone.length === 0 ? "Nothing was muted." : `${counted(gone.length, "mute")} of ${app.app_id} removed.`;
  return { success: true, action: "unmute", app_id: app.app_id, message, removed: gone.length };
}

/** Active mutes of this app in this store. */
export function listMutes(app: OpenedApp): MuteList {
  return { ...named(app), mutes: mutesOf(app), file: app.mutes.path };
}

function matching(app: OpenedApp, raw: RawInput): Mute[] {
  const { code, ids } = parseInput(unmuteInput, raw);
  const wanted = codeOf(code);
  const muted = mutesOf(app).filter(({ code }) => code === wanted);
  const unknown = ids.find((id) => !muted.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new NotFoundError("mute", unknown, null, `${wanted} is not muted for ${quote(unknown)}.`);
  return ids.length === 0 ? muted : muted.filter(({ id }) => id !== null && ids.includes(id));
}

function entries(app: OpenedApp, { code, ids, until }: MuteRequest): Mute[] {
  const { app_id, location } = named(app);
  const about = { app_id, location, code, until: isoFromEpoch(until), muted_at: isoFromEpoch(app.now()) };
  return ids.length === 0 ? [{ ...about, id: null }] : ids.map((id) => ({ ...about, id }));
}

function named(app: OpenedApp) {
  return { app_id: app.app_id, location: app.store.location };
}

function isSame(a: Mute, b: Mute): boolean {
  return a.app_id === b.app_id && a.location === b.location && a.code === b.code && a.id === b.id;
}

/** Several people may use the same monitor, so somebody who may only read must not mute it for the others. */
function refusal(app: OpenedApp): string | null {
  if (app.store.readOnly) return READ_ONLY;
  return app.mutes.path === null ? NO_FOLDER : null;
}

function assertKept(app: OpenedApp): void {
  const refused = refusal(app);
  if (refused === READ_ONLY) throw new RefusedError(refused);
  if (refused !== null) throw new RefusedError(refused, null, 409);
}

/** @throws RefusedError if the file cannot be written. */
function keep(app: OpenedApp, stays: (one: Mute) => boolean, added: readonly Mute[]): void {
  try {
    app.mutes.change(stays, added);
  } catch (error) {
    const where = "Use --state-dir to name another folder.";
    throw new RefusedError(`${app.mutes.path} cannot be written: ${systemReason(error)}.`, where, 409);
  }
}

const NO_FOLDER = "This user has no home folder, so mutes cannot be stored. Use --state-dir to name a folder.";
