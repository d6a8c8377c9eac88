/** Aligns two trees of calls: pairs children by task, in the order of their calls. Pure functions. */

export interface CallTree {
  id: string;
  /** Null if not stored. Such nodes can be paired with each other. */
  task: string | null;
  /** Calls with the same arguments are preferably paired. */
  arguments_id: string | null;
  /** In the order in which they were called. */
  children: readonly CallTree[];
}

/** One row of the comparison; null on the side without such a call. */
export interface AlignedPair {
  a: string | null;
  b: string | null;
  depth: number;
}

/** Score for a pair of the same task, and bonus for equal arguments. All bonuses of one caller together are worth less than one pair. */
const SAME_TASK = 1_000;
const SAME_ARGUMENTS = 1;

/** Pairs in preorder. The two roots are always paired. */
export function aligned(a: CallTree, b: CallTree): AlignedPair[] {
  const found: AlignedPair[] = [];
  const open: { a: CallTree | null; b: CallTree | null; depth: number }[] = [{ a, b, depth: 0 }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const { depth } = pair;
    found.push({ a: pair.a?.id ?? null, b: pair.b?.id ?? null, depth });
    const below = paired(pair.a?.children ?? [], pair.b?.children ?? []);
    open.push(...below.map(([left, right]) => ({ a: left, b: right, depth: depth + 1 })).reverse());
  }
  return found;
}

function scoreOf(a: CallTree, b: CallTree): number {
  if (a.task !== b.task) return 0;
  return SAME_TASK + (a.arguments_id !== null && a.arguments_id === b.arguments_id ? SAME_ARGUMENTS : 0);
}

/** The ordered pairing with the highest total score (longest common subsequence), including the unpaired calls in between. */
function paired(a: readonly CallTree[], b: readonly CallTree[]): [CallTree | null, CallTree | null][] {
  const width = b.length + 1;
  /** Best total score for the rest of both lists from (i, j) on, row by row. */
  const best = new Float64Array((a.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [left, right] = [a[i], b[j]];
      const both = left === undefined || right === undefined ? 0 : scoreOf(left, right);
      const together = both === 0 ? 0 : both + at(i + 1, j + 1);
      best[i * width + j] = Math.max(together, at(i + 1, j), at(i, j + 1));
    }
  }
  const found: [CallTree | null, CallTree | null][] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i] ?? null, b[j] ?? null];
    const both = left === null || right === null ? 0 : scoreOf(left, right);
    if (both > 0 && at(i, j) === both + at(i + 1, j + 1)) {
      found.push([left, right]);
      i++;
      j++;
    } else if (left !== null && at(i, j) === at(i + 1, j)) {
      found.push([left, null]);
      i++;
    } else {
      found.push([null, right]);
      j++;
    }
  }
  return found;
}
