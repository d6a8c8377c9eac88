/** Ids of invocations as they are typed: the beginning will do where it names one. */

import { InvalidInputError, NotFoundError } from "../errors.ts";
import { NOTHING, visibleLine } from "../presentation/text.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { listInvocations, readInvocationInput } from "../services/invocations/invocations.ts";

/** The beginning of an id must be this long to stand for it. */
const MIN_PREFIX = 4;

const CANDIDATES_LISTED = 10;

/**
 * What `read` gives for the invocation that `id` names, wholly or by its beginning.
 *
 * @throws NotFoundError; InvalidInputError when several ids begin like this.
 */
export async function invocationBy<T>(
  app: OpenedApp,
  id: string,
  read: (invocationId: string) => Promise<T>,
): Promise<T> {
  try {
    return await read(id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    if (id.trim().length < MIN_PREFIX) {
      throw new NotFoundError(
        "invocation",
        id,
        `An id can be shortened to its first ${MIN_PREFIX} characters or more.`,
      );
    }
    const raw = { id_prefix: [id], limit: [String(CANDIDATES_LISTED)] };
    // A beginning that seems to name one invocation must not name another one too.
    await app.wholeCensus();
    const { invocations, page } = await listInvocations(app, await readInvocationInput(app, raw));
    const [only, ...others] = invocations;
    if (only === undefined) throw error;
    if (others.length === 0) return read(only.invocation_id);
    const candidates = invocations.map(
      (row) => `  ${visibleLine(`${row.invocation_id}  ${row.task_id_key ?? NOTHING}  ${row.status}`)}`,
    );
    if (page.has_next) candidates.push("  and more");
    throw new InvalidInputError(
      [
        {
          parameter: "<id>",
          value: id,
          accepted: `${page.has_next ? "more than " : ""}${invocations.length} ids start with this:`,
        },
      ],
      candidates.join("\n"),
    );
  }
}
