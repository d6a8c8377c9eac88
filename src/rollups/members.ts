/** What is counted: tasks, runners, writers and groups of failures. Buckets refer to each by a number. */

/** Failures of one task with one kind of cause. Type and message are null if the cause is not stored. */
export interface FailureGroup {
  kind: "failure";
  task_id_key: string | null;
  type: string | null;
  /** With its variable parts replaced (failure-message.ts). */
  message: string | null;
}

/**
 * A runner is counted for its runs, a writer for the status changes it wrote: a client writes but runs nothing. The name is null for members without
 * a name, and for those that arrived after the limit was reached.
 */
export type Member = { kind: "all" | "task" | "runner" | "writer"; name: string | null } | FailureGroup;

/** Maximum number of members per kind. Needed because workers that run a single invocation each grow without bound. */
const MAX_MEMBERS: Readonly<Record<Member["kind"], number>> = {
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

  /** @param known ordered by number. */
  constructor(known: readonly Member[] = []) {
    for (const member of known) this.#append(member);
  }

  /** Ordered by number. */
  get all(): readonly Member[] {
    return this.#members;
  }

  at(number: number): Member | undefined {
    return this.#members[number];
  }

  /** The number of a member that is counted under its own name. */
  known(member: Member): number | undefined {
    return this.#numbers[member.kind].get(keyOf(member));
  }

  /** Whether every member of a kind is still counted under its own name. */
  countsEachByName(kind: Member["kind"]): boolean {
    return this.#numbers[kind].size < MAX_MEMBERS[kind];
  }

  /** The number of a member, or of the member that collects the rest of its kind. */
  numberOf(member: Member): number {
    const numbers = this.#numbers[member.kind];
    const known = numbers.get(keyOf(member));
    if (known !== undefined) return known;
    if (numbers.size < MAX_MEMBERS[member.kind]) return this.#append(member);
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

/** Failure groups beyond the limit are counted as one. */
function restOf(member: Member): Member {
  if (member.kind !== "failure") return { kind: member.kind, name: null };
  return { kind: "failure", task_id_key: null, type: null, message: null };
}

function keyOf(member: Member): string | null {
  return member.kind === "failure" ? JSON.stringify([member.task_id_key, member.type, member.message]) : member.name;
}
