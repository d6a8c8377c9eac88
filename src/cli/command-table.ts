/** All commands with their flags, help and examples. Each loads its module only when it runs. */

import type { Command } from "commander";
import { SINGLE_FILTERS } from "../presentation/invocation-filters.ts";
import type { Flags } from "./flags.ts";

/** `repeatable` flags collect all their values. */
type OptionEntry = readonly [flags: string, description: string, repeatable?: "repeatable"];

export interface CommandEntry {
  /** Name and arguments: `invocation <id>`. */
  usage: string;
  /** Heading in the list of commands. */
  group: string;
  summary: string;
  /** Sentences that follow the summary in the help. */
  details?: string;
  options?: readonly OptionEntry[];
  examples: readonly string[];
  /** Left out of the list of commands. */
  hidden?: true;
  /** Loads and runs the command. */
  run(flags: Flags, args: readonly string[], program: Command): Promise<void>;
}

const BROWSER = "In the browser:";

const TERMINAL = "On the terminal:";

const CHANGES = "Changing data:";

export const CHECKS = "About the store, its settings and this program:";

const SERVER_OPTIONS: readonly OptionEntry[] = [
  [
    "--host <host>",
    "address to listen on; needs a token if other machines can reach it (PYNENC_MONITOR_HOST; default 127.0.0.1)",
  ],
  [
    "--token <auto>",
    "require a token; auto creates one and prints a one-time sign-in address. Put a token of your own into PYNENC_MONITOR_TOKEN or a file",
  ],
  ["--token-file <path>", "require the token in this file (PYNENC_MONITOR_TOKEN_FILE)"],
  ["--no-token", "allow a --host that other machines can reach without any protection (PYNENC_MONITOR_NO_TOKEN)"],
  ["--public-metrics", "answer /health and /metrics without the token (PYNENC_MONITOR_PUBLIC_METRICS)"],
  [
    "--allow-actions",
    "allow changes even if other machines can reach the monitor; by default it is read-only in that case (PYNENC_MONITOR_ALLOW_ACTIONS)",
  ],
  ["--no-stats", "do not read the history for statistics and failures (PYNENC_MONITOR_NO_STATS)"],
  ["--port <port>", "port, or auto for the next free port (PYNENC_MONITOR_PORT; default 8000)"],
  ["--read-only", "refuse everything that changes data (PYNENC_MONITOR_READ_ONLY)"],
  ["--allowed-host <name...>", "more host names to accept in requests (PYNENC_MONITOR_ALLOWED_HOST)"],
  ["--open", "open the browser"],
  ["--dev", "add routes for developing the monitor itself"],
];

/** For lists that are worth watching. */
const WATCH: OptionEntry = ["--watch [seconds]", "refresh in place every 2 seconds, or at this interval"];

const PAGING_OPTIONS: readonly OptionEntry[] = [
  ["--limit <rows>", "rows per page"],
  ["--page <number>", "page to print, starting at 1"],
];

/** Filters of the list of invocations, and of actions on all invocations that match. */
const FILTER_OPTIONS: readonly OptionEntry[] = [
  ["--query <query>", "that match a search such as 'status:failed error:Timeout run>5s' (docs/commands.md)"],
  ["--status <status>", "with one of these statuses; repeatable", "repeatable"],
  ["--status-mode <mode>", "history: had one of them at any time, or between --since and --until"],
  ...SINGLE_FILTERS.map(({ flag, help }): OptionEntry => [flag, help]),
  ["--since <time>", "with a status change at or after this time: 2h, yesterday 14:05, 2026-07-04T10:00"],
  ["--until <time>", "with a status change at or before this time"],
];

/** Queue and priority of new messages, in stores with named queues (pynenc 0.4). */
const ROUTE_OPTIONS: readonly OptionEntry[] = [
  ["--queue <name>", "queue for the message, instead of the one from settings or waiting messages (pynenc 0.4)"],
  ["--priority <number>", "priority of the message, from -100 to 100; higher is taken first (pynenc 0.4)"],
];

const ACTION_OPTIONS: readonly OptionEntry[] = [
  ["--yes", "do not ask for confirmation; required without a terminal"],
  ["--dry-run", "print the preview and exit"],
];

export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: "serve",
    group: BROWSER,
    summary: "serve the monitor on this machine",
    details:
      "It listens on this machine only. To use it from another one, tunnel through ssh, or listen on another --host with a token: browsers sign in with a one-time address or the token, scripts send it as Authorization: Bearer. Then nothing can be changed unless you add --allow-actions.",
    options: [
      ...SERVER_OPTIONS,
      [
        "--no-cache",
        "neither load nor save statistics; otherwise they are kept in the user's cache folder for the next start (PYNENC_MONITOR_NO_CACHE)",
      ],
      [
        "--on-verdict <command>",
        "run this command for each new error or warning, passed as JSON on standard input; no shell (PYNENC_MONITOR_ON_VERDICT)",
      ],
    ],
    examples: [
      "monitor serve",
      "monitor serve --db app.db --port auto --open",
      "monitor serve --url redis://host:6379/0",
      "monitor serve --read-only",
      "monitor serve --host 0.0.0.0 --token auto",
      "monitor serve --on-verdict ./tell-the-team.sh",
    ],
    run: async (flags) => (await import("./commands/serve.ts")).serve(flags),
  },
  {
    usage: "demo",
    group: BROWSER,
    summary: "write an example app and serve it",
    options: [
      ["--size <number>", "generate this many invocations instead of the example"],
      ["--live", "keep the example app running"],
      ["--seed <number>", "seed of the generated data (default 1)"],
      [
        "--layout <version>",
        "store layout of this pynenc version: 0.2.3, 0.3.1 or 0.4.0 (default; with --url only 0.3.1)",
      ],
      ["--no-serve", "write the app, print its location and exit"],
      ...SERVER_OPTIONS,
    ],
    examples: [
      "monitor demo --live --open",
      "monitor demo --db demo.db --no-serve",
      "monitor demo --size 100000 --port auto",
      "monitor demo --layout 0.3.1 --db old.db --no-serve",
      "monitor demo --url redis://localhost:6379/15",
      "monitor status --app demo-shop --db $(monitor demo --no-serve)",
    ],
    run: async (flags) => (await import("./commands/demo.ts")).demo(flags),
  },
  {
    usage: "status",
    group: TERMINAL,
    summary: "show counts by status, queue, runners, events, and what looks wrong",
    options: [
      ["--at <time>", "only the counts by status, as they were then: 2h, yesterday 14:05, 2026-07-04T10:00"],
      WATCH,
    ],
    examples: [
      "monitor status",
      "monitor status --json | jq .statuses.failed",
      "monitor --db app.db status",
      "monitor status --watch",
      "monitor status --at 'yesterday 14:05'",
    ],
    run: async (flags) => (await import("./commands/status.ts")).status(flags),
  },
  {
    usage: "top",
    group: TERMINAL,
    summary: "show what looks wrong, tasks, failures and runners, and keep it up to date",
    details:
      "Keys: up and down select a row, Enter opens it, s sorts tasks by the next column, r takes the next range, / filters rows by a text, p pauses, q quits.",
    options: [
      ["--once", "print it once and exit; without a terminal nothing is cut"],
      ["--range <length>", "how far back figures reach: 15m, 1h (default), 6h, 24h"],
      ["--sort <column>", "order of tasks: failed (default), finished, p95 (of runs), wait, busy or name"],
    ],
    examples: ["monitor top", "monitor top --range 24h --sort p95", "monitor top --once"],
    run: async (flags) => (await import("./commands/top.ts")).top(flags),
  },
  {
    usage: "check",
    group: TERMINAL,
    summary: "print one line saying whether the app is healthy; exits with 1 if not",
    details:
      "For cron, alarms and health checks of containers. Exits with 0 if all is well, 1 if not or if it is not known, 2 for wrong options, 3 if there is no such app or task, 4 if the store cannot be reached. Muted verdicts do not count.",
    options: [
      ["--fail-on <severity>", "which verdicts count: error (the default), or also warning"],
      ["--max-failed <limit>", "how many invocations may have failed: a number such as 10, or a share such as 5%"],
      ["--since <time>", "since when --max-failed counts (default 1h)"],
      ["--task <task>", "the task that --max-failed counts; a part of its name is enough"],
      ["--max-queue-age <length>", "how long the oldest message in the queues may have waited: 90s, 5m"],
    ],
    examples: [
      "monitor check",
      "monitor check --max-failed 5% --since 30m --max-queue-age 5m",
      "monitor check --task ship --max-failed 0 --since 24h --fail-on warning",
      "monitor check --json | jq .ok",
    ],
    run: async (flags) => (await import("./commands/check.ts")).check(flags),
  },
  {
    usage: "metrics",
    group: TERMINAL,
    summary: "print the metrics of the app once, in the text format of Prometheus",
    details:
      "These are the gauges of GET /metrics of a server (docs/metrics.md). Totals and durations are left out: they count what happens while a server runs.",
    examples: ["monitor metrics", "monitor metrics > /var/lib/node_exporter/textfile/pynenc.prom"],
    run: async (flags) => (await import("./commands/metrics.ts")).metrics(flags),
  },
  {
    usage: "why [id]",
    group: TERMINAL,
    summary:
      "explain what is wrong with the app, or why one thing is in its state: the verdict, its evidence, what to do",
    details:
      "The id may be that of an invocation, workflow run, event, trigger, runner or anything else that monitor find knows.",
    examples: ["monitor why", "monitor why 0e5f93a1", "monitor why --json | jq .verdict.code"],
    run: async (flags, [id = ""]) => (await import("./commands/why.ts")).why(flags, id),
  },
  {
    usage: "find <text...>",
    group: TERMINAL,
    summary: "find what an id, a name or a log line means, and how to show it",
    details:
      "Takes ids of every kind: in full, their first 4 or more characters, or shortened as pages and commands print them; names of tasks, event codes, workflow types, hosts, statuses, exceptions and pages; addresses of pages; and pasted log lines. Exits with 3 if nothing matches.",
    examples: [
      "monitor find c991e525...cf9b",
      "monitor find ship",
      "monitor find worker-3 --json | jq -r '.matches[].path'",
    ],
    run: async (flags, words) => (await import("./commands/find.ts")).find(flags, words),
  },
  {
    usage: "show <text...>",
    group: TERMINAL,
    summary: "show everything about the object with this id, of any kind",
    details:
      "Takes what find takes: ids of every kind, in full, their first 4 or more characters, or shortened as pages and commands print them; names of tasks; and log lines. Exits with 2 if several things match, and with 3 if nothing does.",
    options: [["--at <time>", "an invocation, workflow run, event or trigger run as it was then, with its family"]],
    examples: [
      "monitor show c991e525...cf9b",
      "monitor show shop.orders.ship",
      "monitor show worker-3 --json | jq .kind",
      "monitor show c991e525 --at 'yesterday 14:05'",
    ],
    run: async (flags, words) => (await import("./commands/show.ts")).show(flags, words),
  },
  {
    usage: "tasks [name]",
    group: TERMINAL,
    summary: "list tasks with their invocations by status, failing ones first",
    details: "With a name: only tasks whose module.function contains it.",
    options: [["--sort <order>", "failing (default): the most failed invocations first; name: by name"], WATCH],
    examples: ["monitor tasks", "monitor tasks orders", "monitor tasks --json | jq -r '.tasks[].task_id_key'"],
    run: async (flags, [name = null]) => (await import("./commands/tasks.ts")).tasks(flags, name),
  },
  {
    usage: "task <name>",
    group: TERMINAL,
    summary: "show one task: its invocations by status, the latest of them, and its calls",
    examples: ["monitor task shop.orders.ship", "monitor task ship --json | jq .task.statuses"],
    run: async (flags, [name = ""]) => (await import("./commands/show.ts")).showOf("task", flags, name),
  },
  {
    usage: "invocations [query...]",
    group: TERMINAL,
    summary: "list invocations, newest first",
    options: [
      ...FILTER_OPTIONS,
      ...PAGING_OPTIONS,
      [
        "--after <cursor>",
        "continue where an earlier search stopped, with the cursor that it printed (`older` in JSON)",
      ],
      ["--fields <names>", "comma-separated fields to print, named as in JSON"],
      ["--sort <field>", "sort by a field, where at most 1,000 match; -duration_seconds puts the longest first"],
      ["--by <what>", "count the matches by status, task or exception instead of listing them"],
      ["--format <format>", "table (default), or csv or jsonl for all matching rows"],
      WATCH,
      ["--follow", "print a JSON line for each status change from now on, until Ctrl-C"],
    ],
    examples: [
      "monitor invocations status:failed error:Timeout since:2h",
      "monitor invocations status:failed since:1h --by exception",
      "monitor invocations ORD-10012",
      "monitor invocations 'task:shop.* run>5s -status:success'",
      "monitor invocations --status failed --status retry",
      "monitor invocations --task shop.orders.ship --since 1h",
      "monitor invocations --since 2026-07-04T10:00 --until 2026-07-04T11:00",
      "monitor invocations status:success since:1h --sort -duration_seconds --limit 10",
      "monitor invocations --fields invocation_id,status,exception_type --format csv",
      "monitor invocations --format csv > invocations.csv",
      "monitor invocations --status failed --format jsonl | jq -r .invocation_id",
      "monitor invocations --follow --status failed | jq -r .task_id_key",
    ],
    run: async (flags, terms) => (await import("./commands/invocations.ts")).invocations(flags, terms),
  },
  {
    usage: "export [query...]",
    group: TERMINAL,
    summary: "write invocations as a file for another program: traces, tables or a timeline",
    details:
      "Secrets are masked in arguments and messages. otlp is OTLP/JSON, one request in a line; invocations that have not ended are left out of it, because a span needs an end. perfetto holds 5,000 invocations at most; the other formats hold all that match (docs/exports.md).",
    options: [
      ["--format <format>", "otlp (OpenTelemetry traces), perfetto, jsonl, csv or parquet"],
      ["-o, --out <file>", "write to a file instead of standard output (-); it appears when it is complete"],
      ["--force", "replace the file if it exists"],
      ["--no-values", "leave out arguments and messages of exceptions"],
      ["--limit <rows>", "the newest ones only"],
      ...FILTER_OPTIONS,
    ],
    examples: [
      "monitor export --format otlp since:1h -o traces.jsonl",
      "monitor export --format parquet -o invocations.parquet",
      "monitor export --format perfetto workflow:0e5f93a1 -o run.trace.json",
      "monitor export --format jsonl status:failed --no-values | jq -r .exception.type",
    ],
    run: async (flags, terms) => (await import("./commands/export.ts")).exportInvocations(flags, terms),
  },
  {
    usage: "bundle [query...]",
    group: TERMINAL,
    summary: "write one HTML file about some invocations, for a colleague or an issue",
    details:
      "Takes an id of an invocation, workflow run, event or trigger run, or a search. The file holds the verdict, the family, details, history and lines of logs; it opens from disk and needs neither network nor scripts. Secrets are masked (docs/exports.md). Exits with 3 if nothing is found.",
    options: [
      ["-o, --out <file>", "the file to write; - is standard output"],
      ["--force", "replace the file if it exists"],
      ["--logs <file>", "add the lines of this log that name the invocations; repeatable", "repeatable"],
      ["--no-values", "leave out arguments, results, payloads and messages of exceptions"],
      ...FILTER_OPTIONS,
    ],
    examples: [
      "monitor bundle 0e5f93a1 -o report.html",
      "monitor bundle 0e5f93a1 --logs worker.log --logs beat.log -o report.html",
      "monitor bundle status:failed since:1h --no-values -o failures.html",
    ],
    run: async (flags, terms) => (await import("./commands/bundle.ts")).bundle(flags, terms),
  },
  {
    usage: "timeline",
    group: TERMINAL,
    summary: "show what every runner did in a time window",
    options: [
      ["--since <time>", "start of the window: 5m (default), 2h, yesterday 14:05, 2026-07-04T10:00"],
      ["--until <time>", "end of the window"],
      ["--at <time>", "as it was then: 2h, yesterday 14:05, 2026-07-04T10:00; without a window, the 5 minutes before"],
      ["--query <query>", "only invocations that match a search (docs/commands.md)"],
      ["--status <status>", "only invocations with one of these statuses; repeatable", "repeatable"],
      ...SINGLE_FILTERS.map(({ flag, help }): OptionEntry => [flag, `only invocations ${help}`]),
      [
        "--id <id>",
        "only this invocation; without --since and --until, the window is fitted to it; repeatable",
        "repeatable",
      ],
      ["--group <what>", "lanes: runner (default), or task, those that failed most first"],
      ["--limit <invocations>", "draw at most this many invocations one by one; the rest are only counted"],
      [
        "-o, --out <file>",
        "write a drawing (.svg), trace events for Perfetto (.trace.json) or data (.json); - is standard output",
      ],
      ["--format <format>", "svg, trace or json, whatever the file is called; without --out to standard output"],
      ["--force", "replace the file if it exists"],
    ],
    examples: [
      "monitor timeline --since 1h",
      "monitor timeline --since 2026-07-04T10:00 --until 2026-07-04T10:15 --task shop.orders.ship",
      "monitor timeline --since 1h --out timeline.svg",
      "monitor timeline --since 15m --out timeline.trace.json",
      "monitor timeline --at 'yesterday 14:05'",
      "monitor timeline --json | jq .counts",
    ],
    run: async (flags) => (await import("./commands/timeline.ts")).timeline(flags),
  },
  {
    usage: "stats",
    group: TERMINAL,
    summary: "show how much ran, how long it waited and ran, and how often it failed",
    details:
      "Covers the last hour unless --since or --until say otherwise. Quantiles are accurate to within 1 %. Without a running monitor serve, the history of the range is read first; the output says if that is incomplete.",
    options: [
      ["--by <what>", "rows for each task (default), runner, host or exception"],
      ["--since <time>", "from this time on: 2h, yesterday 14:05, 2026-07-04T10:00 (default 1h)"],
      ["--until <time>", "up to this time"],
      ["--task <task>", "only this task"],
      ["--runner <id>", "only this runner"],
      ["--sort <column>", "failed (default), finished, p95 (of runs), wait, busy or name; exceptions: failed or name"],
      [
        "--compare <range>",
        "print figures of another range beside them: previous, yesterday, last-week, or how long before (1d)",
      ],
      ["--limit <rows>", "rows (default 100)"],
      WATCH,
    ],
    examples: [
      "monitor stats",
      "monitor stats --since 24h --sort p95",
      "monitor stats --since 1h --compare yesterday",
      "monitor stats --by host --json | jq '.rows[] | {host, failed}'",
    ],
    run: async (flags) => (await import("./commands/stats.ts")).stats(flags),
  },
  {
    usage: "failures",
    group: TERMINAL,
    summary: "group failures and retries by task, exception and message",
    details:
      "Covers the last hour unless --since or --until say otherwise. Ids, numbers, paths, quoted values, addresses and dates in messages are replaced, so that failures with the same cause form one group. The exception of a retry is not stored, so the retries of each task are a group of their own.",
    options: [
      ["--by <what>", "group (task, exception and message; default), exception or task"],
      ["--since <time>", "from this time on: 2h, yesterday 14:05, 2026-07-04T10:00 (default 1h)"],
      ["--until <time>", "up to this time"],
      ["--task <task>", "only this task"],
      ["--limit <groups>", "groups (default 50)"],
      WATCH,
    ],
    examples: [
      "monitor failures",
      "monitor failures --since 24h --by exception",
      "monitor failures --json | jq -r '.groups[0].invocation_ids[]'",
    ],
    run: async (flags) => (await import("./commands/failures.ts")).failures(flags),
  },
  {
    usage: "compare [query...]",
    group: TERMINAL,
    summary: "show what differs between some invocations and others",
    details:
      "Compares the invocations that match a search or lie in a range with a baseline, by task, arguments, host, runner, hour of day, parent task, trigger, retries, exception and status, and by how long they ran and waited. Lists only differences that are larger than chance, the greatest first, with the counts of both sides. If there are many invocations, a sample is compared, and the answer says so (docs/compare.md).",
    options: [
      [
        "--with <baseline>",
        "rest: all others in the range (default with a search); before: the preceding range of the same length (default without); or another search",
      ],
      ...FILTER_OPTIONS,
      ["--limit <rows>", "differences to list (default 30)"],
    ],
    examples: [
      "monitor compare 'run>5s' --since 24h",
      "monitor compare status:failed task:ship --with task:ship",
      "monitor compare --since 1h",
      "monitor compare exception:CardDeclined --json | jq -r '.differences[].sentence'",
    ],
    run: async (flags, terms) => (await import("./commands/compare.ts")).compare(flags, terms),
  },
  {
    usage: "invocation <id>",
    group: TERMINAL,
    summary: "show everything about one invocation; the start of its id is enough",
    examples: ["monitor invocation 0e5f93a1", "monitor invocation 0e5f93a1 --json | jq .exception"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("invocation", flags, id),
  },
  {
    usage: "call <id>",
    group: TERMINAL,
    summary: "show one call: a task with one set of arguments, and its invocations",
    examples: ["monitor call shop.orders.ship:1b2c...3d4e", "monitor call 1b2c3d4e --json | jq .arguments"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("call", flags, id),
  },
  {
    usage: "wait <id...>",
    group: TERMINAL,
    summary: "wait until invocations end, succeed or start to run",
    details:
      "Exits with 0 when all of them have, 1 as soon as one ends any other way, 3 if one is not in the store (or no longer is), 124 on timeout.",
    options: [
      ["--for <what>", "final (ended, well or not; the default), success, or running (is running or has run)"],
      ["--timeout <length>", "wait no longer than this: 90s, 5m (default: no limit)"],
    ],
    examples: [
      "monitor wait 0e5f93a1",
      "monitor wait 0e5f93a1 4c1d77b2 --for success --timeout 5m",
      "monitor wait 0e5f93a1 --json | jq -r .outcome",
    ],
    run: async (flags, ids) => (await import("./commands/wait.ts")).wait(flags, ids),
  },
  {
    usage: "tree <invocation>",
    group: TERMINAL,
    summary: "show the family of an invocation: what led to it, and what its members started",
    options: [
      ["--depth <levels>", "levels to show below the first invocation, and below this one (default 8)"],
      ["--limit <number>", "show at most this many invocations (default 60)"],
      ["--expand <id...>", "show four more levels and 30 more invocations below this one; repeat the id for more"],
      ["--at <time>", "as it was then: 2h, yesterday 14:05, 2026-07-04T10:00"],
    ],
    examples: [
      "monitor tree 0e5f93a1",
      "monitor tree 0e5f93a1 --limit 500",
      "monitor tree 0e5f93a1 --json | jq '.nodes[] | select(.status == \"failed\")'",
    ],
    run: async (flags, [id = ""]) => (await import("./commands/tree.ts")).tree(flags, id),
  },
  {
    usage: "diff <a> [b]",
    group: TERMINAL,
    summary: "compare two invocations or workflow runs: arguments, times, children and outcome",
    options: [["--last-success", "compare with the newest success of the same task that was registered before"]],
    examples: [
      "monitor diff 0e5f93a1 c991e525",
      "monitor diff 0e5f93a1 --last-success",
      "monitor diff 0e5f93a1 --last-success --json | jq '.nodes[] | select(.differs != [])'",
    ],
    run: async (flags, [a = "", b = ""]) => (await import("./commands/diff.ts")).diff(flags, a, b),
  },
  {
    usage: "runners",
    group: TERMINAL,
    summary: "list active runners",
    options: [["--all", "list all recorded runners"], ...PAGING_OPTIONS, WATCH],
    examples: ["monitor runners", "monitor runners --all --limit 20"],
    run: async (flags) => (await import("./commands/runners.ts")).runners(flags),
  },
  {
    usage: "runner <id>",
    group: TERMINAL,
    summary: "show one runner: its heartbeat, what it worked on, and what it registered",
    examples: ["monitor runner 9a3f11c2", "monitor runner ExternalRunner@host-4711 --json | jq .registered"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("runner", flags, id),
  },
  {
    usage: "atomic-service",
    group: TERMINAL,
    summary: "list runs of the atomic service, newest first, or show whose turn it is",
    options: [
      ["--schedule", "show the current slots, and whether each runner may start"],
      ["--status <status>", "running, completed, abandoned or blocked"],
      ["--runner <id>", "of this runner"],
      ["--id-prefix <text>", "whose id starts with this"],
      ["--min-duration <seconds>", "that took at least this long"],
      ...PAGING_OPTIONS,
      WATCH,
    ],
    examples: [
      "monitor atomic-service",
      "monitor atomic-service --status blocked",
      "monitor atomic-service --schedule --json | jq '.runners[].reason'",
    ],
    run: async (flags) => (await import("./commands/atomic-service.ts")).atomicService(flags),
  },
  {
    usage: "workflows",
    group: TERMINAL,
    summary: "list workflow types, or their runs",
    options: [
      ["--runs", "list the runs of all types, newest first"],
      ["--type <key>", "list the runs of this type: module.function"],
      ...PAGING_OPTIONS,
      WATCH,
    ],
    examples: ["monitor workflows", "monitor workflows --runs", "monitor workflows --type shop.orders.checkout"],
    run: async (flags) => (await import("./commands/workflows.ts")).workflows(flags),
  },
  {
    usage: "workflow <id>",
    group: TERMINAL,
    summary: "show one workflow run: its invocations, sub-workflows and data",
    examples: ["monitor workflow 0e5f93a1", "monitor workflow 0e5f93a1 --json | jq .data"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("workflow", flags, id),
  },
  {
    usage: "events",
    group: TERMINAL,
    summary: "list events, newest first",
    options: [
      ["--code <code>", "with this event code"],
      ["--since <time>", "emitted at or after this time: 2h, yesterday 14:05, 2026-07-04T10:00"],
      ["--until <time>", "emitted at or before this time"],
      ["--matched <answer>", "that met a condition: yes, no or all (default)"],
      ["--triggered <answer>", "that started an invocation: yes, no or all (default)"],
      ...PAGING_OPTIONS,
      ["--format <format>", "table (default), or csv or jsonl for all matching rows"],
      WATCH,
      ["--follow", "print a JSON line for each event from now on, until Ctrl-C"],
    ],
    examples: [
      "monitor events --code order.created --triggered no",
      "monitor events --since 2026-07-04T10:00 --limit 100",
      "monitor events --format jsonl | jq -r .event_id",
      "monitor events --follow --code order.created",
    ],
    run: async (flags) => (await import("./commands/events.ts")).events(flags),
  },
  {
    usage: "event <id>",
    group: TERMINAL,
    summary: "show everything about one event; the start of its id is enough",
    examples: ["monitor event 0e5f93a1", "monitor event 0e5f93a1...8a10 --json | jq .payload"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("event", flags, id),
  },
  {
    usage: "trigger-runs",
    group: TERMINAL,
    summary: "list trigger runs, newest first",
    options: [
      ["--task <key>", "that started this task: module.function"],
      ["--trigger <id>", "of this trigger"],
      ["--kind <kind>", "caused by an event, status, result, exception or cron"],
      ["--since <time>", "executed at or after this time: 2h, yesterday 14:05, 2026-07-04T10:00"],
      ["--until <time>", "executed at or before this time"],
      ...PAGING_OPTIONS,
      WATCH,
    ],
    examples: [
      "monitor trigger-runs --kind exception",
      "monitor trigger-runs --task shop.orders.ship --since 2026-07-04T10:00",
      "monitor trigger-runs --json | jq -r '.trigger_runs[].trigger_run_id'",
    ],
    run: async (flags) => (await import("./commands/trigger-runs.ts")).triggerRuns(flags),
  },
  {
    usage: "trigger-run <id>",
    group: TERMINAL,
    summary: "show one trigger run: what met the conditions, and what it started; the start of its id is enough",
    examples: ["monitor trigger-run 56782980", "monitor trigger-run 56782980 --json | jq .notes"],
    run: async (flags, [id = ""]) => (await import("./commands/show.ts")).showOf("trigger_run", flags, id),
  },
  {
    usage: "triggers",
    group: TERMINAL,
    summary: "list registered triggers by task, with the next times of schedules",
    options: PAGING_OPTIONS,
    examples: ["monitor triggers", "monitor triggers --json | jq -r '.tasks[].task_id_key'"],
    run: async (flags) => (await import("./commands/triggers.ts")).triggers(flags),
  },
  {
    usage: "trace <id>",
    group: TERMINAL,
    summary: "show what an event, invocation or trigger run caused, or why it happened",
    options: [
      ["--direction <direction>", "down: what it caused (default); up: what led to it; both"],
      ["--limit <nodes>", "read at most this many nodes (default 5000)"],
      ["--at <time>", "as it was then: 2h, yesterday 14:05, 2026-07-04T10:00"],
      ["--format <format>", "json (default), tree, mermaid or dot"],
    ],
    examples: [
      "monitor trace 0e5f93a1 --format tree",
      "monitor trace 0e5f93a1 --direction up --format tree",
      "monitor trace 0e5f93a1 --format dot | dot -Tsvg > trace.svg",
    ],
    run: async (flags, [id = ""]) => (await import("./commands/trace.ts")).trace(flags, id),
  },
  {
    usage: "logs <file>",
    group: TERMINAL,
    summary: "show log lines with the task and status of what they mention; - reads standard input",
    options: [
      ["--level <level>", "least severe level to show: debug, info, warning, error or critical"],
      ["--grep <text>", "only lines that contain this text; case is ignored"],
      ["--follow", "wait for new lines, also when the file is rotated"],
      ["--base-url <url>", "link ids to the monitor served at this address"],
    ],
    examples: [
      "monitor logs worker.log --level warning",
      "monitor logs worker.log --follow --base-url http://127.0.0.1:8000/",
      "docker logs worker 2>&1 | monitor logs - --json | jq -r '.references[].id'",
    ],
    run: async (flags, [file = ""]) => (await import("./commands/logs.ts")).logs(flags, file),
  },
  {
    usage: "queue",
    group: TERMINAL,
    summary: "list waiting messages, in the order they will be taken",
    options: [["--queue <name>", "only messages of this queue (pynenc 0.4)"], ...PAGING_OPTIONS, WATCH],
    examples: ["monitor queue", "monitor queue --queue mail", "monitor queue --json | jq .page.total"],
    run: async (flags) => (await import("./commands/queue.ts")).queue(flags),
  },
  {
    usage: "purge [target]",
    group: CHANGES,
    summary: "empty broker, state-backend, client-data-store, orchestrator, triggers, or all",
    options: [
      ["--empty-queue", "with orchestrator or state-backend: empty the queue first"],
      ["--queue <name>", "with broker: empty only this queue (pynenc 0.4)"],
      ...ACTION_OPTIONS,
    ],
    examples: [
      "monitor purge broker --dry-run",
      "monitor purge broker",
      "monitor purge broker --queue mail",
      "monitor purge orchestrator --empty-queue",
      "monitor purge all --yes --json | jq .deleted",
    ],
    run: async (flags, [target = null]) => (await import("./commands/purge.ts")).purge(flags, target),
  },
  {
    usage: "auto-purge [target]",
    group: CHANGES,
    summary: "remove what pynenc's retention settings no longer keep: orchestrator, events, or all (default)",
    options: [
      ["--hours <number>", "remove final invocations after this long (auto_final_invocation_purge_hours)"],
      [
        "--with-open-parents",
        "also remove invocations whose parent is not final; a parent that asks for their result later fails",
      ],
      [
        "--execution-minutes <number>",
        "remove executions after this long (atomic_service_execution_retention_minutes)",
      ],
      [
        "--max-executions <number>",
        "keep at most this many executions; 0 is no limit (atomic_service_execution_max_records)",
      ],
      ["--enabled <answer>", "yes or no: whether to remove events at all (event_auto_purge_enabled)"],
      ["--retention-days <number>", "remove events and trigger runs after this long (event_retention_days)"],
      ["--max-events <number>", "keep at most this many events; 0 is no limit (event_max_records)"],
      ["--max-trigger-runs <number>", "keep at most this many trigger runs; 0 is no limit (trigger_run_max_records)"],
      ...ACTION_OPTIONS,
    ],
    examples: [
      "monitor auto-purge --dry-run",
      "monitor auto-purge orchestrator --hours 48",
      "monitor auto-purge events --max-events 1000 --yes",
    ],
    run: async (flags, [target = null]) => (await import("./commands/auto-purge.ts")).autoPurge(flags, target),
  },
  {
    usage: "rerun [id...]",
    group: CHANGES,
    summary: "register the calls of invocations again: of those named, or of all that match a filter",
    details:
      "With a filter or several ids, matches that another match called are left out: rerunning that one calls them again. Exits with 1 if some calls were refused, with 5 if all were.",
    options: [
      ["--force", "also register calls that are already waiting, where the task has or may have concurrency control"],
      ...FILTER_OPTIONS,
      ["--all", "register every match, including those that another match called"],
      ["--limit <number>", "take at most this many matches, newest first (default 1000)"],
      ...ROUTE_OPTIONS,
      ...ACTION_OPTIONS,
    ],
    examples: [
      "monitor rerun 0e5f93a1",
      "monitor rerun 0e5f93a1 4c1d --dry-run",
      "monitor rerun 0e5f93a1 --queue mail --priority 50",
      "monitor rerun --status failed --task shop.orders.ship --dry-run",
      "monitor rerun --status failed --since 1h --limit 50 --yes",
    ],
    run: async (flags, ids) => (await import("./commands/rerun.ts")).rerun(flags, ids),
  },
  {
    usage: "requeue <id...>",
    group: CHANGES,
    summary: "put back the lost messages of invocations that are waiting",
    options: [
      [
        "--force",
        "also requeue if the message may still be in the queue, because that queue can be counted but not listed (RabbitMQ)",
      ],
      ...ROUTE_OPTIONS,
      ...ACTION_OPTIONS,
    ],
    examples: [
      "monitor requeue 0e5f93a1",
      "monitor requeue 0e5f93a1 4c1d --dry-run",
      "monitor requeue $(monitor status --json | jq -r '.verdicts[] | select(.code == \"waiting_in_no_queue\") | .evidence[].id')",
    ],
    run: async (flags, ids) => (await import("./commands/requeue.ts")).requeue(flags, ids),
  },
  {
    usage: "mute [code]",
    group: CHANGES,
    summary: "hide a verdict for a while; without a code, list what is muted",
    details:
      "Nothing in the store changes: mutes are kept in the state directory of this user, and apply to pages and commands. A muted verdict does not make monitor doctor fail.",
    options: [
      ["--id <id>", "only for this thing; repeatable. Verdicts on other things are still shown", "repeatable"],
      ["--for <length>", "how long: 8h (default), 3d; at most 90d"],
      ...ACTION_OPTIONS,
    ],
    examples: [
      "monitor mute stuck_pending --for 3d",
      "monitor mute schedule_overdue --id 'cron_0 3 * * *'",
      "monitor mute --json",
    ],
    run: async (flags, [code = null]) => (await import("./commands/mute.ts")).mute(flags, code),
  },
  {
    usage: "unmute <code>",
    group: CHANGES,
    summary: "show a muted verdict again",
    options: [["--id <id>", "only for this thing; repeatable", "repeatable"], ...ACTION_OPTIONS],
    examples: ["monitor unmute stuck_pending"],
    run: async (flags, [code = ""]) => (await import("./commands/mute.ts")).unmute(flags, code),
  },
  {
    usage: "audit",
    group: CHANGES,
    summary: "list the changes this user made with the monitor, newest first",
    options: PAGING_OPTIONS,
    examples: ["monitor audit", "monitor audit --limit 500 --json | jq '.entries[] | select(.outcome != \"done\")'"],
    run: async (flags) => (await import("./commands/audit.ts")).audit(flags),
  },
  {
    usage: "apps",
    group: CHECKS,
    summary: "list the apps in the store",
    examples: ["monitor apps --db app.db", "monitor apps --json | jq -r '.apps[].app_id'"],
    run: async (flags) => (await import("./commands/apps.ts")).apps(flags),
  },
  {
    usage: "config",
    group: CHECKS,
    summary: "show every effective setting and option, and where it came from",
    examples: ["monitor config", "monitor config --config pynenc.toml", "monitor config --json | jq .problems"],
    run: async (flags) => (await import("./commands/config.ts")).config(flags),
  },
  {
    usage: "doctor",
    group: CHECKS,
    summary: "check the store; exits with 1 if something is wrong",
    options: [
      ["--fail-on <severity>", "exit with 1 for warnings too (warning, the default), or only for errors (error)"],
    ],
    examples: ["monitor doctor", "monitor doctor --fail-on error", "monitor doctor --db app.db --json | jq .verdicts"],
    run: async (flags) => (await import("./commands/doctor.ts")).doctor(flags),
  },
  {
    usage: "mcp",
    group: CHECKS,
    summary: "answer an assistant over standard input and output (Model Context Protocol)",
    details:
      "Tools: why, search, invocations, show, trace, failures, stats, compare, logs. Secrets are masked. Nothing is changed unless --allow-actions is given, and then each change is previewed and confirmed (docs/agents.md).",
    options: [
      ["--allow-actions", "also offer to rerun, requeue and purge, in two steps: preview, confirmation"],
      ["--no-values", "leave out arguments, results, payloads and messages of exceptions, and offer no logs"],
      ["--logs <file>", "a log file that may be read; repeatable", "repeatable"],
    ],
    examples: ["monitor mcp --db app.db", "monitor mcp --db app.db --no-values", "monitor mcp --logs worker.log"],
    run: async (flags) => (await import("./commands/mcp.ts")).mcp(flags),
  },
  {
    usage: "schema [name]",
    group: CHECKS,
    summary: "print the JSON Schema of an answer, or list the names of all answers",
    examples: ["monitor schema", "monitor schema StatusReport", "monitor schema --json | jq -r '.schemas[].name'"],
    run: async (flags, [name = null]) => (await import("./commands/schema.ts")).schema(flags, name),
  },
  {
    usage: "completion <shell>",
    group: CHECKS,
    summary: "print the completion script for bash, zsh or fish",
    details:
      "In the start-up file of the shell: source <(monitor completion bash), source <(monitor completion zsh) after compinit, or monitor completion fish | source.",
    examples: [
      "monitor completion bash >> ~/.bashrc",
      "monitor completion zsh >> ~/.zshrc",
      "monitor completion fish > ~/.config/fish/completions/monitor.fish",
    ],
    run: async (flags, [shell = ""]) => (await import("./commands/completion.ts")).completion(flags, shell),
  },
  {
    usage: "complete [words...]",
    group: CHECKS,
    hidden: true,
    summary: "print completions of the last word, for shells",
    examples: ["monitor complete -- invocations --sta"],
    run: async (_flags, words, program) => (await import("./commands/complete.ts")).complete(program, words),
  },
];
