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
export abstract class TransitionError extends Error {
  /** Null if the invocation has no status yet. */
  readonly from: string | null;
  readonly to: string;

  constructor(from: string | null, to: string, message: string) {
    super(message);
    this.name = new.target.name;
    this.from = from;
    this.to = to;
  }
}

/** The target may not follow the current status, or one of the two is unknown. */
export class InvalidTransitionError extends TransitionError {
  readonly allowed: readonly string[];

  constructor(from: string | null, to: string, allowed: readonly string[]) {
    const accepted = allowed.length > 0 ? allowed.join(", ") : "nothing";
    super(from, to, `${from ?? "no status"} cannot become ${to}; allowed: ${accepted}`);
    this.allowed = allowed;
  }
}

/** The invocation is in a final status, which no other may follow. */
export class ModifyFinalInvocationError extends TransitionError {
  constructor(from: string, to: string) {
    super(from, to, `${from} is final and cannot become ${to}`);
  }
}

/** Another runner owns the invocation, or the transition needs a runner and has none. */
export class OwnershipError extends TransitionError {
  readonly owner: string | null;
  readonly acting_runner_id: string | null;

  constructor(from: string, to: string, owner: string | null, actingRunnerId: string | null, message: string) {
    super(from, to, message);
    this.owner = owner;
    this.acting_runner_id = actingRunnerId;
  }
}

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
 * @throws ModifyFinalInvocationError, InvalidTransitionError, OwnershipError
 */
export function checkTransition(current: StatusOwner | null, to: string, actingRunnerId: string | null): StatusOwner {
  if (current === null) return register(to, actingRunnerId);
  const from = current.status;
  if (statusInfo(from).final) throw new ModifyFinalInvocationError(from, to);
  if (!canMove(from, to)) throw new InvalidTransitionError(from, to, allowedFrom(from));

  const target = statusInfo(to);
  if (!target.overrides_ownership && statusInfo(from).requires_ownership && actingRunnerId !== current.runner_id) {
    const message = `${from} belongs to ${current.runner_id ?? "no runner"}, ${actingRunnerId ?? "no runner"} cannot make it ${to}`;
    throw new OwnershipError(from, to, current.runner_id, actingRunnerId, message);
  }
  if (target.acquires_ownership && actingRunnerId === null) {
    throw new OwnershipError(from, to, current.runner_id, null, `${to} needs a runner that becomes the owner`);
  }
  return { status: to, runner_id: nextOwner(current.runner_id, to, actingRunnerId) };
}

/** Registration ignores ownership rules and stores the id of the registering runner (storage-format.md 2.1). */
function register(to: string, actingRunnerId: string | null): StatusOwner {
  if (!canMove(null, to)) throw new InvalidTransitionError(null, to, [FIRST_STATUS]);
  return { status: to, runner_id: actingRunnerId };
}

function nextOwner(owner: string | null, to: string, actingRunnerId: string | null): string | null {
  const target = statusInfo(to);
  if (target.acquires_ownership) return actingRunnerId;
  return target.releases_ownership ? null : owner;
}
