/** Random lives of invocations that obey pynenc's rules, for tests against a naive evaluation of all rows. */
import fc from "fast-check";
import { at, type InvocationGiven, type MemoryApp, type Step } from "./memory-app/memory-app.ts";

const NEXT: Readonly<Record<string, readonly string[]>> = {
  registered: ["pending", "pending", "pending", "concurrency_controlled", "concurrency_controlled_final"],
  concurrency_controlled: ["rerouted"],
  rerouted: ["pending"],
  pending: ["running", "running", "running", "killed", "pending_recovery"],
  pending_recovery: ["rerouted"],
  running: ["paused", "killed", "retry", "success", "success", "failed", "running_recovery"],
  running_recovery: ["rerouted"],
  paused: ["running", "running", "killed"],
  killed: ["rerouted"],
  retry: ["pending"],
};

const CAUSES = [null, "ValueError", "KeyError"];

/** One life: when it begins, its steps with the seconds between them, its task and its runner. */
export interface Life {
  begins: number;
  moves: readonly { choice: number; seconds: number; lag: number }[];
  task: string;
  runner: string;
  cause: string | null;
}

/** @param span seconds in which lives begin. */
export function lives(most: number, span: number): fc.Arbitrary<Life[]> {
  const move = fc.record({
    choice: fc.nat(99),
    seconds: fc.double({ min: 0, max: 90, noNaN: true }).map((seconds) => Math.round(seconds * 1e6) / 1e6),
    lag: fc.constantFrom(0, 0.001, 0.2),
  });
  const life = fc.record({
    begins: fc.double({ min: 0, max: span, noNaN: true }),
    moves: fc.array(move, { maxLength: 14 }),
    task: fc.constantFrom("shop.pay", "shop.ship", "mail.send"),
    runner: fc.constantFrom("r1", "r2"),
    cause: fc.constantFrom(...CAUSES),
  });
  return fc.array(life, { maxLength: most });
}

export function stepsOf({ begins, moves, runner }: Life): Step[] {
  const steps: Step[] = [[at(begins), "registered"]];
  let now = begins;
  for (const { choice, seconds, lag } of moves) {
    const next = NEXT[steps.at(-1)?.[1] ?? ""];
    if (next === undefined) break;
    now += seconds;
    const status = next[choice % next.length] ?? "";
    // Entries of one invocation are written in their order, and no status twice at one instant (storage-format.md 3.4).
    let written = Math.max(at(now + lag), steps.at(-1)?.[3] ?? 0);
    while (steps.some(([, word, , instant]) => word === status && instant === written)) written += 1e-3;
    steps.push([at(now), status, runner, written]);
  }
  return steps;
}

/** As pynenc's JsonSerializer stores it (storage-format.md 4.5). */
export function storedException(error_name: string, message: string): string {
  return JSON.stringify({
    error_name,
    pynenc_error: false,
    error_data: JSON.stringify({ __pynenc__std_py_exc__: { type: error_name, args: [message], message } }),
  });
}

/** Everything happens in the order of writing, as it would in a store. */
export function live(app: MemoryApp, all: readonly Life[]): MemoryApp {
  all.forEach((life, n) => {
    const { task, cause } = life;
    const given: InvocationGiven = { task, history: stepsOf(life) };
    const failed = given.history?.at(-1)?.[1] === "failed";
    const exception = storedException(cause ?? "", `no shelf ${n}`);
    app.invocation(`i${n}`, failed && cause !== null ? { ...given, exception } : given);
  });
  return app.inOrder();
}
