// What was read and typed belongs to the person who was signed in: it is kept for their next session, and for no one else.
import type { QueryClient } from "@tanstack/react-query";
import type { ConsoleSignIn } from "../../host/host";
import { dropDrafts } from "../form/drafts";
import { publication } from "../publish/storage";

function forgetInput(): void {
  dropDrafts();
  publication.lock(false);
}

/** Follows the sign-in of the page. The returned function ends it. */
export function followPerson(signIn: ConsoleSignIn, client: QueryClient): () => void {
  let session = signIn.state.phase === "in" ? signIn.state.session : null;
  let isIn = session !== null;
  return signIn.listen(() => {
    const { state } = signIn;
    if (state.phase === "in") {
      const isOther = session !== null && session.owner_id !== state.session.owner_id;
      if (isOther) forgetInput();
      // Another page of this browser has begun another session, of which this one has shown nothing yet.
      if (isIn && isOther) location.reload();
      else if (isIn) void client.invalidateQueries();
      else client.clear();
      session = state.session;
    } else if (state.phase === "out" && state.former !== null) publication.lock(true);
    else if (state.phase === "out") {
      client.clear();
      forgetInput();
      session = null;
    }
    isIn = state.phase === "in";
  });
}
