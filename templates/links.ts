/** The links of the page that is being rendered. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createLinks, type Links } from "../src/presentation/links.ts";

export const LinksContext = createContext<Links>(createLinks(null));

/** The date of the page that is being rendered; null in a fragment, which scripts complete, and which is to be the same tomorrow. */
export const TodayContext = createContext<string | null>(null);

export function useLinks(): Links {
  return useContext(LinksContext);
}
