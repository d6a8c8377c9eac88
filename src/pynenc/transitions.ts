/**
 * Which status may follow which, and who may change it (storage-format.md 2.2, 2.3). These are pynenc's rules: stores written by pynenc follow them,
 * and everything the monitor writes must too.
 */
import { statusInfo } from "./statuses.ts";

/** Rules of pynenc 0.2.4 to 0.3.1 (storage-format.md 2.2). */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map([
  ["registered", ["pending", "concurrency_controlled", "concurrency_controlled_final"]],
  ["concurrency_controlled", ["rerouted"]],
  ["rerouted", ["pending", "concurrency_controlled"]],
  ["pending", ["running", "killed", "rerouted", "pending_recovery"]],
  ["pending_recovery", ["rerouted"]],
  ["running", ["paused", "killed", "retry", "success", "failed", "running_recovery"]],
  ["running_recovery", ["rerouted"]],
  ["paused", ["running", "killed"]],
  ["killed", ["rerouted"]],
  ["retry", ["pending"]],
]);

/** Transitions of pynenc 0.2.0 to 0.2.3 that later versions removed (storage-format.md 2.3). */
const ALLOWED_BEFORE_024: ReadonlyMap<string, readonly string[]> = new Map([
  ["pending", ["failed"]],
  ["paused", ["resumed"]],
  ["resumed", ["paused", "killed", "retry", "success", "failed"]],
]);

const FIRST_STATUS = "registered";
const NONE: readonly string[] = [];

/** Status and owner of an invocation. `registered` has the registering runner, which owns nothing (storage-format.md 2.1). */
export interface StatusOwner {
  status: string;
  runner_id: string | null;
}

/** A transition that pynenc would refuse. Nothing is stored. */
export class TransitionError extends Error {}

/** Statuses that may follow; empty for final and unknown ones. */
export function allowedFrom(status: string): readonly string[] {
  return ALLOWED.get(status) ?? NONE;
}

/** Whether pynenc 0.2.4 to 0.3.1 allows the transition, ignoring ownership; `from` is null before registration. */
export function canMove(from: string | null, to: string): boolean {
  return from === null ? to === FIRST_STATUS : allowedFrom(from).includes(to);
}

/**
 * Whether any pynenc from 0.2.0 on could have written the transition. Used to mark impossible history entries; the version that wrote an entry is not
 * recorded, so both rule sets apply.
 */
export function isPossibleInHistory(from: string | null, to: string): boolean {
  return canMove(from, to) || (from !== null && (ALLOWED_BEFORE_024.get(from)?.includes(to) ?? false));
}

/** Statuses that any pynenc from 0.2.0 on could have written next. */
export function allowedInHistory(from: string): readonly string[] {
  return [...allowedFrom(from), ...(ALLOWED_BEFORE_024.get(from) ?? NONE)];
}

/**
 * Status and owner after a transition, checked in pynenc's order (storage-format.md 2.2): the table, then the owner, then the need for a runner.
 *
 * @throws TransitionError
 */
export function checkTransition(current: StatusOwner | null, to: string, actingRunnerId: string | null): StatusOwner {
  if (current === null) return register(to, actingRunnerId);
  const { status: from, runner_id: owner } = current;
  if (statusInfo(from).final) throw new TransitionError(`${from} is final and cannot become ${to}`);
  if (!canMove(from, to)) throw notAllowed(from, to, allowedFrom(from));

  const target = statusInfo(to);
  if (!target.overrides_ownership && statusInfo(from).requires_ownership && actingRunnerId !== owner) {
    throw new TransitionError(
      `${from} belongs to ${owner ?? "no runner"}, ${actingRunnerId ?? "no runner"} cannot make it ${to}`,
    );
  }
  if (target.acquires_ownership && actingRunnerId === null) {
    throw new TransitionError(`${to} needs a runner that becomes the owner`);
  }
  return { status: to, runner_id: nextOwner(owner, to, actingRunnerId) };
}

/** Registration ignores ownership rules and stores the id of the registering runner (storage-format.md 2.1). */
function register(to: string, actingRunnerId: string | null): StatusOwner {
  if (!canMove(null, to)) throw notAllowed("no status", to, [FIRST_STATUS]);
  return { status: to, runner_id: actingRunnerId };
}

function notAllowed(from: string, to: string, allowed: readonly string[]): TransitionError {
  return new TransitionError(`${from} cannot become ${to}; allowed: ${allowed.join(", ") || "nothing"}`);
}

function nextOwner(owner: string | null, to: string, actingRunnerId: string | null): string | null {
  const target = statusInfo(to);
  if (target.acquires_ownership) return actingRunnerId;
  return target.releases_ownership ? null : owner;
}
