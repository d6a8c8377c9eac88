/** State of one thread: its connections. */
import type { Actions } from "../ports/actions.ts";
import type { ComponentName } from "../ports/common.ts";
import type { AppReads } from "../ports/store.ts";
import { DEADLINE_MS } from "../threads/orders.ts";
import { answerTo } from "../threads/port-calls.ts";
import type { ActionCall, ServerSession } from "../threads/session-lanes.ts";
import { actionsOf, previewActions } from "./actions/actions.ts";
import { brokerReads } from "./broker/broker.ts";
import { clientDataReads } from "./client-data/client-data.ts";
import { layoutReads } from "./collections/layout.ts";
import { AppCollections } from "./collections/names.ts";
import { MongoReading, type Walked } from "./collections/reading.ts";
import { appVersion, type SeenPulse } from "./collections/version.ts";
import { idReads } from "./ids.ts";
import { orchestratorReads } from "./orchestrator/orchestrator.ts";
import { MongoDb } from "./server/db.ts";
import type { Servers } from "./server/servers.ts";
import { forgottenReads } from "./state-backend/forgotten.ts";
import { stateBackendReads } from "./state-backend/state-backend.ts";
import { triggerReads } from "./trigger/trigger.ts";

export class MongoSession implements ServerSession {
  readonly #servers: Servers;
  /** By app. */
  readonly #pulses = new Map<string, SeenPulse>();
  /** By app. */
  readonly #walked = new Map<string, Map<string, Walked>>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  reads(appId: string, signal: AbortSignal): AppReads {
    const reading = this.reading(appId, performance.now() + DEADLINE_MS, signal);
    return {
      broker: brokerReads(reading),
      orchestrator: orchestratorReads(reading),
      state_backend: stateBackendReads(reading),
      client_data_store: clientDataReads(reading),
      trigger: triggerReads(reading),
      forgotten: forgottenReads(reading),
      ids: idReads(reading),
      layout: layoutReads(reading),
      preview: previewActions(reading),
    };
  }

  async act(appId: string, call: ActionCall): Promise<unknown> {
    return answerTo<Actions>(actionsOf(this.reading(appId, null)), call);
  }

  version(appId: string): Promise<string> {
    return appVersion(this.reading(appId, performance.now() + DEADLINE_MS), this.#pulses);
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  /** @param deadline as of `Requester`. */
  reading(appId: string, deadline: number | null, signal?: AbortSignal): MongoReading {
    const dbOf = (component: ComponentName) => new MongoDb(this.#servers.of(component), deadline, signal);
    const walked = this.#walked.get(appId) ?? new Map();
    this.#walked.set(appId, walked);
    return new MongoReading(appId, new AppCollections(appId), dbOf, walked);
  }
}
