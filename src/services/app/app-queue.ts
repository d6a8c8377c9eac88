/** The location of an app's queue in RabbitMQ, which only its settings contain (storage-format.md 10). */
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
 * Anyone who can write to the store can change the address registered in it, and could have a password from this machine's environment sent to
 * their own server. So a remote server must be named by the monitor's own settings.
 */
function refusal(settings: EffectiveSettings): string | null {
  const host = settings.get("rabbitmq_host");
  const byStore = host?.origin.startsWith(APP_INFO) === true;
  if (!byStore || isThisMachine(String(host.value))) return null;
  return `The RabbitMQ server ${JSON.stringify(host.value)} is named only by the app's registration in the store, so the monitor did not connect to it. To confirm it, name it in PYNENC__RABBITMQ_HOST or in a configuration file.`;
}

/** Prefix of the origin of settings registered by the app. */
const APP_INFO = "app_info";

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
