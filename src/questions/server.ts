import { text } from "../inputs/parameter.ts";
import { signInInput } from "../inputs/sign-in.ts";
import { file, page, question } from "./model/declare.ts";

/** Signing in, and what the server says of itself. */
export const server = question({
  name: "server",
  area: "access",
  summary: "sign in",
  addresses: [
    file("/login", ["text/html"], {
      summary: "A page to sign in; with a one-time code it signs in and redirects",
      input: signInInput,
    }),
    {
      method: "POST",
      path: "/login",
      summary: "Signs a browser in with the token: sets a cookie and redirects",
      answer: null,
      forms: [],
      body: { token: text(""), next: signInInput.next },
      redirects: true,
    },
    { ...page("/login/code", { summary: "Makes an address that signs another browser in, once" }), method: "POST" },
    { ...file("/openapi.json", ["application/json"], { summary: "This document" }), area: "health" },
    {
      ...file("/assets/**:name", ["*/*"], { summary: "A stylesheet, script or picture of the pages" }),
      area: "health",
    },
  ],
  answers: async () => [(await import("../api/app.ts")).SignInAddress],
});
