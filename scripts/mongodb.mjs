// A server for the tests on MongoDB, in the user's cache folder: MongoDB 3.6.8 as Ubuntu 20.04 packages it (x64 Linux), the oldest release that is
// supported; elsewhere FerretDB 1.24 over SQLite files, which speaks MongoDB's wire protocol and is built with Go. Neither is part of the package.
// MONGODB_SERVER=mongod or MONGODB_SERVER=ferretdb takes that one and no other.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ARCHIVE = "http://archive.ubuntu.com/ubuntu/pool/";

/** The package of the server and the libraries that other systems have in other versions, with the SHA-256 that Ubuntu's index of packages names. */
const PACKAGES = {
  "universe/m/mongodb/mongodb-server-core_3.6.9+really3.6.8+90~g8e540c0b6d-0ubuntu5_amd64.deb":
    "d8e296fe30ba1a7466333bc11f7f7b69643195e0fffaad69d4dc0a7f84c9a512",
  "main/b/boost1.71/libboost-filesystem1.71.0_1.71.0-6ubuntu6_amd64.deb":
    "6793184cc2b8df0da401fdbe78fbf57ac598438177a6af163f99f9f1c14f9eb8",
  "main/b/boost1.71/libboost-program-options1.71.0_1.71.0-6ubuntu6_amd64.deb":
    "389095c7167251ee73667031a4c0f45083a31347cc95faddbdf5b7d22ac4c774",
  "main/g/google-perftools/libgoogle-perftools4_2.7-1ubuntu2_amd64.deb":
    "be06998b03fac2ed2e5a74911ff9ea41b63630a94bfddac496f5422b3d51c12a",
  "main/libu/libunwind/libunwind8_1.2.1-9build1_amd64.deb":
    "9ff8e9c464792f5da9ad6a7b9b51e2eab4c10a31efb93462d8752095db45ca93",
  "main/o/openssl/libssl1.1_1.1.1f-1ubuntu2_amd64.deb":
    "09ee28588a1fb5613ddc6c26a992d5a76931b3cf22c022930da413a5e580599e",
  "main/p/pcre3/libpcre3_8.39-12build1_amd64.deb": "2e94c88431a1cfdc9f5be37a9063c617c2e85be4eeee194b3956b7a1d35040cd",
  "main/p/pcre3/libpcrecpp0v5_8.39-12build1_amd64.deb":
    "6245a4417a5de8e7c7ba2befa675bf1747c51cdd500803fd117e973c13b3a88f",
  "main/s/snappy/libsnappy1v5_1.1.8-1build1_amd64.deb":
    "45656990b8613e70263cd4bacc8dd2c081ca1913d86952e95c11ba70db36d0b2",
  "main/s/snowball/libstemmer0d_0+svn585-2_amd64.deb":
    "ca98a75e3eb1d446215bfa194148a7005453b9204dfb1ad625130ee4aecd5235",
  "main/x/xz-utils/liblzma5_5.2.4-1_amd64.deb": "01020b5a0515dbc9a7c00b464a65450f788b0258c3fbb733ecad0438f5124800",
  "main/y/yaml-cpp/libyaml-cpp0.6_0.6.2-4ubuntu1_amd64.deb":
    "fa32c293c9935750089d496d20da5edfa870fad741ab5822e43900ccb61483bb",
};

const FERRET_SOURCE = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "support", "ferretdb");

/** Older ones cannot fetch the Go that FerretDB asks for. */
const OLDEST_GO = 22;

/** @typedef {"mongod" | "ferretdb"} Kind */

const KINDS = /** @type {const} */ (["mongod", "ferretdb"]);

/** Those that may be taken, the one to prefer first. */
const wanted = KINDS.filter((kind) => (process.env.MONGODB_SERVER || kind) === kind);

/**
 * The one to take, which is the first that is there; null where none is.
 *
 * @returns {{ kind: Kind, program: string, env: Record<string, string | undefined> } | null} the environment that the program needs
 */
export function findMongo() {
  const kind = wanted.find((one) => existsSync(place(one)));
  if (kind === undefined) return null;
  if (kind === "ferretdb") return { kind, program: place(kind), env: process.env };
  const libraries = ["usr/lib", "lib"].map((folder) => join(place(kind), folder, "x86_64-linux-gnu"));
  const program = join(place(kind), "usr", "bin", "mongod");
  return { kind, program, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(":") } };
}

/**
 * Brings the first that can be had here, unless it is there.
 *
 * @param {(message: string) => void} say
 * @returns {Promise<boolean>} false if there is none
 */
export async function bringMongo(say) {
  for (const kind of wanted) {
    if (existsSync(place(kind))) return true;
    if (!SYSTEM_HAS[kind]()) continue;
    say(`${kind === "mongod" ? "Fetching MongoDB 3.6" : "Building FerretDB (a few minutes)"} for the tests, once ...`);
    if (await bring(kind).catch((error) => say(`${error}${error.cause ? ` (${error.cause})` : ""}`))) return true;
  }
  return false;
}

/** What this system must have for it. */
const SYSTEM_HAS = {
  mongod: () => process.platform === "linux" && process.arch === "x64" && runs("dpkg-deb", ["--version"]),
  ferretdb() {
    const { stdout } = spawnSync("go", ["env", "GOVERSION"], { cwd: tmpdir(), encoding: "utf8" });
    return Number(/^go1\.(\d+)/.exec(stdout ?? "")?.[1] ?? 0) >= OLDEST_GO;
  },
};

/** @param {Kind} kind @returns {string} the path at which it is, or will be. `LAB_CACHE` names another folder than the user's cache. */
function place(kind) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const digest = createHash("sha256");
  if (kind === "mongod") digest.update(JSON.stringify(PACKAGES));
  else for (const name of ["main.go", "go.mod", "go.sum"]) digest.update(readFileSync(join(FERRET_SOURCE, name)));
  return join(
    process.env.LAB_CACHE ?? join(cache, "pynenc-monitor", "lab"),
    `${kind}-${digest.digest("hex").slice(0, 12)}`,
  );
}

/** @param {Kind} kind @returns {Promise<boolean>} false where a program failed, which has told why */
async function bring(kind) {
  const target = place(kind);
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), `${kind}-new-`));
  const made = join(folder, "made");
  try {
    const build = () => runs("go", ["build", "-o", made, "."], { cwd: FERRET_SOURCE });
    if (!(kind === "mongod" ? await unpackMongod(made) : build())) return false;
    renameSync(made, target);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} to the root of its files */
async function unpackMongod(to) {
  for (const [path, sha256] of Object.entries(PACKAGES)) {
    const answer = await fetch(`${ARCHIVE}${path}`, { signal: AbortSignal.timeout(300_000) });
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw new Error(`${answer.url} is another file`);
    writeFileSync(`${to}.deb`, bytes);
    if (!runs("dpkg-deb", ["--extract", `${to}.deb`, to])) return false;
  }
  return true;
}

/** @param {string} command @param {string[]} args @param {import("node:child_process").SpawnSyncOptions} options */
function runs(command, args, options = {}) {
  return spawnSync(command, args, { stdio: ["ignore", "ignore", 2], ...options }).status === 0;
}
