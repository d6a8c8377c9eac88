import { AuditFile } from "../audit/audit-file.ts";
import type { ResolvedOptions } from "../config/options.ts";

/** The record of actions that commands and the server write; null for a user without a home. */
export function auditFile({ stateDir }: ResolvedOptions): AuditFile | null {
  return stateDir.value === null ? null : new AuditFile(stateDir.value);
}
