import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";

export interface CallIdProps {
  /** `<task id key>:<arguments id>`. */
  call_id_key: string;
  copy?: boolean | undefined;
}

/** A call by its arguments id, which identifies it within its task. */
export function CallId({ call_id_key, copy = false }: CallIdProps) {
  const links = useLinks();
  const argumentsId = call_id_key.slice(call_id_key.lastIndexOf(":") + 1);
  return <Id value={argumentsId} href={links.call(call_id_key)} copy={copy} />;
}
