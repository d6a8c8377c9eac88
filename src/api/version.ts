/** The version of the answers. It is raised when a member is removed or changes its meaning, not when one is added. */
export const SCHEMA_VERSION = 2;

/** Adds `schema_version` to a document that is an object. */
export function versioned(document: object): object {
  return Array.isArray(document) ? document : { schema_version: SCHEMA_VERSION, ...document };
}
