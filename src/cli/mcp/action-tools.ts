/** Changes take two steps: a preview returns a token, and the token, valid once, performs exactly what was previewed. */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { ActionOutcome, PurgeTarget } from "../../api/actions.ts";
import { versioned } from "../../api/version.ts";
import { PURGE_TARGETS } from "../../api/words.ts";
import { RefusedError } from "../../errors.ts";
import { emptyQueueInput, requeueManyInput, rerunInput, rerunManyInput } from "../../inputs/actions.ts";
import { required } from "../../inputs/parameter.ts";
import { toolSchema, toolValue } from "../../questions/derived/input-schema.ts";
import { previewPurge, purge, purgedRows } from "../../services/actions/purge.ts";
import { previewRequeue, requeue } from "../../services/actions/requeue.ts";
import { previewRerun, rerun } from "../../services/actions/rerun.ts";
import { planRerunMany, previewRerunMany, rerunMany } from "../../services/actions/rerun-many.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { RawInput } from "../../services/input/input.ts";
import type { Recorded } from "../action.ts";
import { fullIds } from "../invocation-ids.ts";

/** What would be done, and how. */
export interface Prepared {
  preview: object & { refused: string | null };
  /** Identifies what would be done. If it differs at the confirmation, the action would no longer be the one previewed. */
  exactly: unknown;
  /** Its name in the record of actions. */
  name: string;
  act(): Promise<ActionOutcome>;
}

export interface ActionTool {
  /** `rerun`, for `preview_rerun`. */
  name: string;
  description: string;
  input: z.ZodObject;
  prepare(app: OpenedApp, given: Record<string, unknown>): Promise<Prepared>;
}

export const ACTION_TOOLS: readonly ActionTool[] = [
  {
    name: "rerun",
    description: "Register the call of one invocation again, with its stored arguments.",
    input: z.strictObject({ invocation_id: z.string(), force: toolValue(rerunInput.force) }),
    async prepare(app, given) {
      const [id = ""] = await fullIds(app, [String(given.invocation_id)]);
      const raw = rawInput({ force: given.force });
      const preview = await previewRerun(app, id, raw);
      const { invocation, refused, route } = preview;
      return {
        preview,
        exactly: [invocation.invocation_id, invocation.status, invocation.status_at, refused, route],
        name: "rerun",
        act: () => rerun(app, id, raw),
      };
    },
  },
  {
    name: "rerun_matching",
    description:
      "Register the calls of all invocations that match a search again; only the topmost match of each family.",
    input: toolSchema(
      { ...rerunManyInput, q: required(rerunManyInput.q) },
      { takes: ["q", "limit", "force"], most: 1_000 },
    ),
    async prepare(app, given) {
      const { query: q, ...others } = given;
      const plan = await planRerunMany(app, rawInput({ q, ...others }));
      const preview = await previewRerunMany(app, plan);
      return {
        preview,
        exactly: plan.choice.chosen.map(({ invocation_id }) => invocation_id),
        name: "rerun",
        act: () => rerunMany(app, plan),
      };
    },
  },
  {
    name: "requeue",
    description: "Put back the messages of invocations that wait for a runner but are in no queue.",
    input: z.strictObject({
      invocation_ids: toolValue(requeueManyInput.inv_ids),
      force: toolValue(requeueManyInput.force),
    }),
    async prepare(app, given) {
      const ids = await fullIds(app, z.array(z.string()).parse(given.invocation_ids));
      const raw = rawInput({ force: given.force });
      const preview = await previewRequeue(app, ids, raw);
      return {
        preview,
        exactly: preview.candidates.map(({ invocation, refusal }) => [invocation.invocation_id, refusal]),
        name: "requeue",
        act: () => requeue(app, ids, raw),
      };
    },
  },
  {
    name: "purge",
    description: "Delete everything in a component of the app, or in all of them. This cannot be undone.",
    input: z.strictObject({
      target: z.enum(PURGE_TARGETS),
      empty_queue: toolValue(emptyQueueInput.empty_queue),
    }),
    async prepare(app, given) {
      const target = given.target as PurgeTarget;
      const raw = rawInput({ empty_queue: given.empty_queue });
      const preview = await previewPurge(app, target, raw);
      return {
        preview,
        exactly: [target, preview.counts, await purgedRows(app, target, raw)],
        name: `purge ${target}`,
        act: () => purge(app, target, raw),
      };
    },
  },
];

/** What was given, as in an address. A switch that is off counts as not given. */
function rawInput(given: Record<string, unknown>): RawInput {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value === true ? "1" : String(value)]]));
}

interface Waiting {
  tool: ActionTool;
  given: Record<string, unknown>;
  exactly: string;
  expires: number;
}

/** Lifetime of a token in milliseconds. */
const TOKEN_HOLDS = 5 * 60_000;
/** Maximum number of unused tokens. */
const TOKENS = 20;

/** Tokens of previews that are not confirmed yet. */
export class Confirmations {
  readonly #waiting = new Map<string, Waiting>();
  readonly #clock: () => number;

  /** @param clock milliseconds of a monotonic clock. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The preview of the command with a token to confirm it; the token is null if the action would be refused. */
  async preview(
    tool: ActionTool,
    app: OpenedApp,
    given: Record<string, unknown>,
  ): Promise<{ preview: object; token: string | null; expires_in_seconds: number | null }> {
    const { preview, exactly } = await tool.prepare(app, given);
    if (preview.refused !== null) return { preview: versioned(preview), token: null, expires_in_seconds: null };
    const token = randomBytes(18).toString("base64url");
    this.#waiting.set(token, { tool, given, exactly: digest(exactly), expires: this.#clock() + TOKEN_HOLDS });
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= TOKENS) break;
      this.#waiting.delete(oldest);
    }
    return { preview: versioned(preview), token, expires_in_seconds: TOKEN_HOLDS / 1000 };
  }

  /**
   * Performs the action of the token if it is still what was previewed. The token is used up in any case.
   *
   * @throws RefusedError; nothing was changed then.
   */
  async confirm(token: string, app: OpenedApp, record: Recorded): Promise<object> {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (waiting === undefined || waiting.expires < this.#clock()) {
      throw new RefusedError(
        "This token was already used, has expired or was never issued.",
        "Preview the change again.",
        409,
      );
    }
    const prepared = await waiting.tool.prepare(app, waiting.given);
    const outcome = await record(prepared.name, async () => {
      if (digest(prepared.exactly) === waiting.exactly) return prepared.act();
      const hint = "Nothing was changed. Preview the change again and check what is different.";
      throw new RefusedError("The action would no longer do what was previewed.", hint, 409);
    });
    return versioned(outcome);
  }
}

function digest(exactly: unknown): string {
  return createHash("sha256").update(JSON.stringify(exactly)).digest("hex");
}
