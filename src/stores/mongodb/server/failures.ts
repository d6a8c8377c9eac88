/** Error messages for failures of a MongoDB server. Secrets in addresses are masked. */
import type { MongoServerError } from "mongodb";
import { MonitorError, StoreUnreachableError, type UnreachableReason } from "../../../errors.ts";
import { causeCode, networkError } from "../../network-failures.ts";
import { driverOrNull, SELECTION_MS } from "./client.ts";

const NAME_ONE = "Name the server: --url mongodb://host:27017";

const WITHOUT_PRIMARY_HINT =
  "Try again in a moment. With readPreference=secondaryPreferred in the URL the other members are read.";

/** Codes of the server's error replies that need words of their own. */
const PERMISSION = { unauthorized: 13, authenticationFailed: 18 } as const;
const TIMED_OUT = new Set([50, 262]);
/** No primary, or it has just stepped down, or the member is recovering. */
const WITHOUT_PRIMARY = new Set([91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436]);
const CURSOR_NOT_FOUND = 43;
/** The user may not do it, or the member is none that takes writes. A step-down while a command runs has other codes. */
const REFUSING = new Set([...Object.values(PERMISSION), 10_058, 10_107, 13_435, 13_436]);

/** Turns errors of the driver or the server into the error shown to users; anything else is rethrown as a defect. */
export function mongoError(error: unknown, location: string): unknown {
  if (error instanceof MonitorError || !(error instanceof Error)) return error;
  const driver = driverOrNull();
  const unreachable = (reason: UnreachableReason, message: string, hint: string | null = null) =>
    new StoreUnreachableError(reason, message, hint, { cause: error });
  if (driver !== null && error instanceof driver.MongoServerError) return serverError(error, location, unreachable);
  const beneath = causeOf(error);
  const lost = networkError(beneath, "MongoDB server", location, NAME_ONE);
  if (lost !== null) return lost;
  const code = causeCode(beneath);
  if (code !== null && /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return unreachable(
      "failed",
      `Could not establish a trusted encrypted connection to ${location} (${code}).`,
      "tls=true in the URL asks for encryption, as mongodb+srv:// does. NODE_EXTRA_CA_CERTS names a file with more CA certificates.",
    );
  }
  if (code === "ENODATA" || code === "ESERVFAIL" || code === "EREFUSED") {
    return unreachable("missing", `${location}: its name server has no servers for it (${code}).`, NAME_ONE);
  }
  if (driver === null || !(error instanceof driver.MongoError)) return error;
  if (beneath instanceof driver.MongoCompatibilityError) {
    return unreachable(
      "failed",
      `${location} is of a version that this monitor does not support: ${beneath.message}.`,
      "MongoDB 3.6 to 8 is supported.",
    );
  }
  if (error instanceof driver.MongoServerSelectionError) {
    const members = answering(error);
    if (members.length === 0) {
      const waited = SELECTION_MS / 1000;
      return unreachable(
        "timeout",
        `${location} does not respond: no answer within ${waited} s.`,
        "Try again in a moment.",
      );
    }
    return members.some(({ type }) => type === "RSPrimary")
      ? unreachable("failed", `${location} has no member that readPreference in its URL allows.`, NAME_ONE)
      : unreachable("busy", `${location} has no primary at the moment.`, WITHOUT_PRIMARY_HINT);
  }
  if (error instanceof driver.MongoNetworkTimeoutError) {
    return unreachable("timeout", `${location} did not answer in time.`, "Try again in a moment.");
  }
  // A host of mongodb+srv:// that cannot have servers is the parent class of many others, and only that.
  const isAddress = error instanceof driver.MongoParseError || error instanceof driver.MongoInvalidArgumentError;
  if (isAddress || error.name === driver.MongoAPIError.name) {
    return unreachable("failed", `The address ${location} cannot be used: ${error.message}.`, NAME_ONE);
  }
  if (error instanceof driver.MongoMissingDependencyError) {
    return unreachable(
      "failed",
      `${location} asks for something that this monitor does not bring: ${error.message}.`,
      null,
    );
  }
  return unreachable("failed", `The connection to ${location} was lost.`, "The next request tries again.");
}

/** Whether the server refused the command before it changed anything. After any other failure, some of its documents may be written or deleted. */
export function isRejection(error: unknown): boolean {
  const driver = driverOrNull();
  const cause = error instanceof StoreUnreachableError ? error.cause : null;
  return driver !== null && cause instanceof driver.MongoServerError && REFUSING.has(Number(cause.code));
}

type Unreachable = (reason: UnreachableReason, message: string, hint?: string | null) => StoreUnreachableError;

function serverError(error: MongoServerError, location: string, unreachable: Unreachable): StoreUnreachableError {
  const code = Number(error.code);
  if (code === PERMISSION.authenticationFailed || /authentication failed/i.test(error.message)) {
    return unreachable(
      "no-permission",
      `${location} rejected the given user name and password.`,
      "Give them in the URL, mongodb://user:password@host:27017, with authSource if the user is not of the database admin, preferably through PYNENC_MONITOR_URL.",
    );
  }
  if (code === PERMISSION.unauthorized) {
    return unreachable(
      "no-permission",
      `${location} requires a user name and password, or does not give this user the permissions it needs: ${error.message}.`,
      "Give them in the URL, mongodb://user:password@host:27017, preferably through PYNENC_MONITOR_URL. Reading needs the role read on the database.",
    );
  }
  if (TIMED_OUT.has(code)) {
    return unreachable("timeout", `${location} did not finish in the time that a page may take.`, "Narrow the filter.");
  }
  if (WITHOUT_PRIMARY.has(code)) {
    return unreachable("busy", `${location} has no primary at the moment.`, WITHOUT_PRIMARY_HINT);
  }
  if (code === CURSOR_NOT_FOUND) {
    return unreachable("failed", `${location} dropped a cursor that was being read.`, "The next request tries again.");
  }
  return unreachable("failed", `${location} answered: ${error.message}`);
}

/** What is beneath the driver's error: of a selection without result, the failure of the first server, unless others answer. */
function causeOf(error: Error): Error {
  if (answering(error).length > 0) return error;
  return serversOf(error).find((server) => server.error !== null)?.error ?? error;
}

/** The members of a replica set that answer, none of which can be taken. */
function answering(error: Error): ServerState[] {
  return serversOf(error).filter(({ type }) => type !== "Unknown");
}

interface ServerState {
  type: string;
  error: Error | null;
}

function serversOf(error: Error): ServerState[] {
  return [...((error as { reason?: { servers?: ReadonlyMap<string, ServerState> } }).reason?.servers?.values() ?? [])];
}
