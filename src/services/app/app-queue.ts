/** Where the queue of an app is when RabbitMQ keeps it: by its settings alone, since nothing else names it (storage-format.md 10). */
import { componentClasses } from "../../config/component-kinds.ts";
import type { EffectiveSettings } from "../../config/pynenc-sources.ts";
import type { RabbitAddress } from "../../stores/rabbitmq/connection.ts";

/** Null for an app with another kind of broker. */
export function rabbitAddress(settings: EffectiveSettings): RabbitAddress | null {
  const text = (field: string) => String(settings.get(field)?.value);
  const broker = componentClasses(settings).find(({ component }) => component === "broker");
  if (broker?.kind !== "rabbitmq") return null;
  return {
    host: text("rabbitmq_host"),
    port: Number(text("rabbitmq_port")),
    username: text("rabbitmq_username"),
    password: text("rabbitmq_password"),
    virtual_host: text("rabbitmq_virtual_host"),
    queue: `${text("rabbitmq_queue_prefix")}_broker_messages`,
    refused: refusal(settings),
  };
}

/**
 * What a store says about itself is written by others: whoever can write to it could have a password from this machine's environment sent
 * to a server of theirs. A server elsewhere must be named by somebody here.
 */
function refusal(settings: EffectiveSettings): string | null {
  const host = settings.get("rabbitmq_host");
  const byStore = host?.origin.startsWith(APP_INFO) === true;
  if (!byStore || isThisMachine(String(host.value))) return null;
  return `The RabbitMQ server ${JSON.stringify(host.value)} is named only by the app's registration in the store, so the monitor did not connect to it. To confirm it, name it in PYNENC__RABBITMQ_HOST or in a configuration file.`;
}

/** Beginning of the origin of settings that the app registered itself. */
const APP_INFO = "app_info";

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
