/** What is counted: tasks, runners, writers, groups of failures. Each has a number, by which buckets name it. */

/** Failures of one task with one kind of cause. Type and message are null where the cause is not stored. */
export interface FailureGroup {
  kind: "failure";
  task_id_key: string | null;
  type: string | null;
  /** With its variable parts replaced (failure-message.ts). */
  message: string | null;
}

/**
 * A runner is counted for the runs it had, a writer for the status changes it wrote: a client writes and has no runs. The name is null for all that have
 * none, or came when there were too many to count each.
 */
export type Member = { kind: "all" | "task" | "runner" | "writer"; name: string | null } | FailureGroup;

/** Most members of one kind that are counted one by one. Workers that run one invocation each are unbounded. */
const MOST: Readonly<Record<Member["kind"], number>> = {
  all: 1,
  task: 20_000,
  runner: 20_000,
  writer: 20_000,
  failure: 5_000,
};

export class Members {
  /** By kind, then by name. */
  readonly #numbers: Readonly<Record<Member["kind"], Map<string | null, number>>> = {
    all: new Map(),
    task: new Map(),
    runner: new Map(),
    writer: new Map(),
    failure: new Map(),
  };
  readonly #members: Member[] = [];

  /** @param known in the order of their numbers. */
  constructor(known: readonly Member[] = []) {
    for (const member of known) this.#append(member);
  }

  /** In the order of their numbers. */
  get all(): readonly Member[] {
    return this.#members;
  }

  at(number: number): Member | undefined {
    return this.#members[number];
  }

  /** The number of a member that was met under its name. */
  known(member: Member): number | undefined {
    return this.#numbers[member.kind].get(keyOf(member));
  }

  /** Whether all of a kind are counted one by one. */
  tellsApart(kind: Member["kind"]): boolean {
    return this.#numbers[kind].size < MOST[kind];
  }

  /** The number of a member, or of the catch-all for the rest of its kind. */
  numberOf(member: Member): number {
    const numbers = this.#numbers[member.kind];
    const known = numbers.get(keyOf(member));
    if (known !== undefined) return known;
    if (numbers.size < MOST[member.kind]) return this.#append(member);
    const rest = restOf(member);
    return numbers.get(keyOf(rest)) ?? this.#append(rest);
  }

  #append(member: Member): number {
    const number = this.#members.length;
    this.#members.push(member);
    this.#numbers[member.kind].set(keyOf(member), number);
    return number;
  }
}

/** Once there are too many groups of failures, further ones are merged into one. */
function restOf(member: Member): Member {
  if (member.kind !== "failure") return { kind: member.kind, name: null };
  return { kind: "failure", task_id_key: null, type: null, message: null };
}

function keyOf(member: Member): string | null {
  return member.kind === "failure" ? JSON.stringify([member.task_id_key, member.type, member.message]) : member.name;
}
