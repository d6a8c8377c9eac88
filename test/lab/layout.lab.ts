/** Changes of the layout: each release against its snapshot in `layouts/`, and against the tables and columns in the program's source. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { differences, type Facts, factsOfProgram, factsOfRelease } from "./layout.ts";
import { RELEASES, type Version } from "./releases.ts";

/** Settings of pynenc that the program leaves out: they decide neither what is stored nor how it is read. */
const LEFT_OUT = [
  "ConfigOrchestratorRedis.max_pending_resolution_threads",
  "ConfigOrchestratorRedis.redis_retry_base_delay_sec",
  "ConfigOrchestratorRedis.redis_retry_max_delay_sec",
  "ConfigRabbitMq.rabbitmq_confirm_delivery",
  "ConfigRabbitMq.rabbitmq_connection_attempts",
  "ConfigRabbitMq.rabbitmq_exchange_name",
  "ConfigRabbitMq.rabbitmq_exchange_type",
  "ConfigRabbitMq.rabbitmq_heartbeat",
  "ConfigRabbitMq.rabbitmq_message_ttl",
  "ConfigRabbitMq.rabbitmq_pika_log_level",
  "ConfigRabbitMq.rabbitmq_prefetch_count",
  "ConfigRabbitMq.rabbitmq_retry_delay",
  "ConfigRabbitMq.rabbitmq_retry_exponential_base",
  "ConfigRabbitMq.rabbitmq_retry_initial_delay",
  "ConfigRabbitMq.rabbitmq_retry_max_attempts",
  "ConfigRabbitMq.rabbitmq_retry_max_delay",
  "ConfigRedis.health_check_interval",
  "ConfigRedis.max_connection_attempts",
  "ConfigRedis.redis_pool_health_check_interval",
  "ConfigRedis.redis_pool_max_connections",
  "ConfigSharedMemory.shared_memory_cleanup_timeout_sec",
  "ConfigSharedMemory.shared_memory_name_prefix",
  "ConfigSharedMemory.shared_memory_size_mb",
  "ConfigStateBackendRedis.pagination_batch_size",
  // Defined again with the defaults of ConfigRunner, under which the program has them.
  "ConfigThreadRunner.invocation_wait_results_sleep_time_sec",
  "ConfigThreadRunner.runner_loop_sleep_time_sec",
].map((setting) => `setting ${setting}`);

/** Other differences that are meant, as their lines. */
function meantFor(version: Version): string[] {
  // pynenc writes `registered` without its rules, so its runner stays (docs/storage-format.md 2.1).
  const always = ["~ status registered = available, releases_ownership, was available"];
  // The program has one list for what 0.2.0 to 0.2.2 wrote into old histories and a newer release added to them later.
  const old = ["- status paused: may become running", "- status pending: may become failed"];
  return version === "0.2.3" ? [...old, ...always] : always;
}

const chosen = (process.env.LAB_STORE ?? "") === "" || process.env.LAB_STORE === "sqlite";

for (const [index, { version }] of RELEASES.entries()) {
  const program = inject("environments")?.[version];
  const why = program === undefined ? " (not among the chosen ones)" : "";
  describe.skipIf(!chosen || program === undefined)(`the layout of pynenc ${version}${why}`, () => {
    let facts: Facts = {};
    beforeAll(async () => {
      facts = await factsOfRelease(program ?? "");
      if (process.env.LAB_WRITE === "1") write(version, facts);
    });

    it("equals the recorded snapshot", () => {
      const before = RELEASES[index - 1]?.version ?? version;
      const snapshot = read(version);
      const from =
        snapshot === null
          ? `pynenc ${before}; LAB_WRITE=1 keeps it as test/lab/layouts/${version}.json`
          : "its snapshot";
      expect(differences(snapshot ?? read(before) ?? {}, facts), `What changed from ${from}`).toEqual([]);
      expect(snapshot, "it has no snapshot").not.toBeNull();
    });

    it("equals the tables and columns in the program's source", () => {
      const unknown = unknownLines(version, facts);
      const meant = meantFor(version);
      const unexpected = unknown.filter((line) => !meant.includes(line));
      expect(unexpected, "Not what src/pynenc and src/demo/writer/schema.ts say").toEqual([]);
      expect(unknown, "Differences that are meant").toEqual(expect.arrayContaining(meant));
      expect(LEFT_OUT.filter((name) => name in facts)).toEqual(LEFT_OUT);
      expect(LEFT_OUT.filter((name) => name in factsOfProgram(version))).toEqual([]);
    });
  });
}

/** Differences between what the program knows and what it is, without what it has no list of or leaves out. */
function unknownLines(version: Version, facts: Facts): string[] {
  const considered = Object.entries(facts).filter(
    ([name]) => !name.startsWith("Redis key ") && !LEFT_OUT.includes(name),
  );
  // The plugin of MongoDB is not installed beside these releases.
  const known = Object.entries(factsOfProgram(version)).filter(([name]) => !name.startsWith("setting ConfigMongo."));
  return differences(Object.fromEntries(known), Object.fromEntries(considered));
}

function fileOf(version: Version): string {
  return fileURLToPath(new URL(`./layouts/${version}.json`, import.meta.url));
}

function read(version: Version): Facts | null {
  return existsSync(fileOf(version)) ? (JSON.parse(readFileSync(fileOf(version), "utf8")) as Facts) : null;
}

function write(version: Version, facts: Facts): void {
  writeFileSync(fileOf(version), `${JSON.stringify(facts, null, 2)}\n`);
}
