/** The version of the answers. It rises when a member goes or changes its meaning; members that are added leave it as it is. */
export const SCHEMA_VERSION = 1;

/** A document as it is sent or printed: an object says by which version of the schemas it is made. */
export function versioned(document: object): object {
  return Array.isArray(document) ? document : { schema_version: SCHEMA_VERSION, ...document };
}
