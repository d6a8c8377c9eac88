/** Security headers of every answer (security.md 4). */
import { randomFillSync } from "node:crypto";

const NONCE_BYTES = 16;

/** Random bytes for the next answers: one system call per answer costs more than the rest of a small answer. */
const pool = Buffer.alloc(NONCE_BYTES * 256);
let used = pool.length;

/** The nonce by which `securityHeaders` allows the scripts and styles of one page; never the same twice. */
export function newNonce(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += NONCE_BYTES;
  return pool.toString("base64url", used - NONCE_BYTES, used);
}

export function securityHeaders(nonce: string): Record<string, string> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      `script-src 'self' 'nonce-${nonce}'`,
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    // Not no-referrer, because the check of state-changing requests may need the Referer.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
