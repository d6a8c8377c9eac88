/** Error messages for failures of a RabbitMQ server. Addresses in them contain no password. */
import { MonitorError, StoreUnreachableError } from "../../errors.ts";
import { causeCode, networkError } from "../network-failures.ts";

const NAME_ONE = "pynenc's settings name the server: rabbitmq_host, rabbitmq_port (PYNENC__RABBITMQ_HOST ...).";

/** Turns errors of the client or the server into the error shown to users; anything else is rethrown as a defect. */
export function rabbitError(error: unknown, location: string): unknown {
  if (error instanceof MonitorError || !(error instanceof Error)) return error;
  const lost = networkError(error, "RabbitMQ server", location, NAME_ONE);
  if (lost !== null) return lost;
  const unreachable = (reason: StoreUnreachableError["reason"], message: string, hint: string | null = null) =>
    new StoreUnreachableError(reason, message, hint, { cause: error });
  // The server's reasons are text: `Handshake terminated by server: 403 (ACCESS-REFUSED) with message "..."`.
  const { message } = error;
  if (/^Handshake terminated .*\b403\b/.test(message)) {
    return unreachable(
      "no-permission",
      `${location} rejected the user name or password.`,
      "Correct rabbitmq_username and rabbitmq_password in pynenc's settings. RabbitMQ accepts the user guest only from its own machine.",
    );
  }
  // The client does not report why the server rejects a virtual host.
  if (message.startsWith("Expected ConnectionOpenOk")) {
    return unreachable(
      "no-permission",
      `${location} has no such virtual host, or this user has no access to it.`,
      "Correct rabbitmq_virtual_host in pynenc's settings.",
    );
  }
  if (/\b(402|403|405|530)\b \(|ACCESS_REFUSED|NOT_ALLOWED|RESOURCE_LOCKED/.test(message)) {
    return unreachable("no-permission", `${location} does not give this user the permissions it needs: ${message}`);
  }
  if (
    /^(Socket closed|Unexpected close|Heartbeat timeout|Channel ended|channel closed|Connection closed)/i.test(message)
  ) {
    return unreachable("failed", `The connection to ${location} was lost.`, "The next request tries again.");
  }
  // An operation on a closed channel or connection, or an error of the server with a number.
  if (
    error.name === "IllegalOperationError" ||
    causeCode(error) === "ABORT_ERR" ||
    /\b\d{3} \([A-Z-]+\)/.test(message)
  ) {
    return unreachable("failed", `${location} answered: ${message}`, "The next request tries again.");
  }
  return error;
}

/** Whether a command failed because the server has no queue of this name. */
export function isAbsentQueue(error: unknown): boolean {
  return error instanceof StoreUnreachableError && (error.cause as { code?: unknown } | undefined)?.code === 404;
}
