// The console page, served by the server: fetch on its own origin, in the session of the person who is signed in.
import { ApiError, UNREACHABLE } from "../api/problem";
import { browserHost } from "./browser";
import type { Host } from "./host";
import { SignIn } from "./signIn";

export async function consoleHost(): Promise<Host> {
  const signIn = await SignIn.start();
  return {
    ...browserHost(),
    agent: false,
    management: { request: (method, path, body) => signIn.request(method, path, body), signIn },
    request: () => Promise.reject(new ApiError(UNREACHABLE, "This page has no agent.", 0)),
    feed: () => () => {},
  };
}
