// Keeps a publication in the storage of the tab, so that it survives a reload; without passwords and other secrets.
import { markUnsent } from "../../parts/unsent";
import { isRecord } from "../form/values";
import type { Draft } from "../form/field";
import { publishForm, withoutSecrets } from "./fields";
import { Publication, type PublicationStorage } from "./publication";

const KEY = "postern.publication";

/** All fields, whatever the server has. */
const FORM = publishForm({
  server: { domain: "", https_port: 443 },
  tunnels: [],
  backends: new Map(),
  hasPolicies: true,
});

const tabStorage: PublicationStorage = {
  read() {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
      return isRecord(stored) && Array.isArray(stored["made"]) ? stored : null;
    } catch {
      return null;
    }
  },
  write(state) {
    markUnsent("publication", state !== null);
    try {
      if (state === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify({ ...state, edited: publicDraft(state.edited) }));
    } catch {
      // Private windows may refuse storage; the publication then lasts as long as the page.
    }
  },
};

const publicDraft = (edited: Draft): Draft => withoutSecrets(FORM, edited);

/** The publication of this page: there is one at a time. */
export const publication = new Publication(tabStorage);
