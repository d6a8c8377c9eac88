/** Parts of a page that are rendered after the rest, so that a long page holds up no other request. */
import { type ComponentChildren, createContext, Fragment, h, type VNode } from "preact";
import { useContext } from "preact/hooks";

/** Takes a part and returns the text that stands for it; null where everything is rendered at once. */
export const PartsContext = createContext<((part: VNode) => string) | null>(null);

/** What an element with many children contains. @param each how many of them are a part */
export function useParts(children: readonly VNode[], each: number): ComponentChildren {
  const later = useContext(PartsContext);
  if (later === null) return children;
  const marks: string[] = [];
  for (let at = 0; at < children.length; at += each)
    marks.push(later(h(Fragment, null, children.slice(at, at + each))));
  return marks;
}
