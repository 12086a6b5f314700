// A publication while it is filled in and carried out. It outlives its page: leaving the page stops nothing, and what was
// created before a failure or a reload stays known until it is completed or removed.
import { ApiError, asProblem } from "../../api/problem";
import type { Base, ManagementApi } from "../../api/management";
import type { Problem } from "../../api/types";
import type { HttpsEdge } from "../../api/generated";
import type { Draft } from "../form/field";
import { markOf, type Plan, type Step } from "./plan";
import { idsOf, remainingOf, sentText, type Made } from "./remaining";

export type Phase = "editing" | "creating" | "stopped" | "undoing" | "published";

export interface Failure extends Problem {
  /** The step that failed, or the record that could not be removed. */
  key: string;
  kind: string;
  name: string;
  /** What was tried. */
  verb: "created" | "removed";
  /** The member of the request that was refused; empty where none is named. */
  member: string;
}

export interface PublicationState {
  edited: Draft;
  /** Identifies the records that are created together. */
  publication: string;
  made: readonly Made[];
  /** A request whose response was lost: its record may exist. */
  uncertain: Omit<Made, "id"> | null;
  phase: Phase;
  /** The step in progress. */
  at: string | null;
  failure: Failure | null;
  /** Whether there is input from an earlier visit of the page. */
  isRestored: boolean;
}

/** Where a publication is kept beyond a reload of the page, without its secrets. */
export interface PublicationStorage {
  read(): Partial<Pick<PublicationState, Stored>> | null;
  write(state: Pick<PublicationState, Stored> | null): void;
}

export type Stored = "edited" | "publication" | "made" | "uncertain";

/** Called after a collection has changed. */
export type Changed = (collection: string) => void;

const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => (byte % 36).toString(36)).join("");

const empty = (): PublicationState => ({
  edited: {},
  publication: newId(),
  made: [],
  uncertain: null,
  phase: "editing",
  at: null,
  failure: null,
  isRestored: false,
});

export class Publication {
  readonly #storage: PublicationStorage;
  readonly #listeners = new Set<() => void>();
  #state: PublicationState;

  constructor(storage: PublicationStorage) {
    this.#storage = storage;
    this.#state = restoredState(storage.read());
  }

  get state(): PublicationState {
    return this.#state;
  }

  readonly listen = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  /** Changes the input, but not while it is carried out. A refusal of the former input is no longer shown. */
  edit(edited: Draft): void {
    if (this.#isBusy()) return;
    const { phase, made, uncertain, failure } = this.#state;
    const isUnfinished = made.length > 0 || uncertain !== null;
    this.#set({
      edited,
      phase: phase === "stopped" && !isUnfinished ? "editing" : phase,
      failure: isUnfinished ? failure : null,
    });
  }

  /** Forgets the input and everything else about it. */
  discard(): void {
    this.#set(empty());
  }

  /**
   * Forgets the secrets, because the key is gone. Only a key that was refused leaves the other input for the next one;
   * records without the whole stay known in any case.
   */
  lock(isRefused: boolean): void {
    const { made, uncertain } = this.#state;
    if (isRefused || made.length > 0 || uncertain !== null) this.#set(restoredState(this.#storage.read()));
    else this.discard();
  }

  /** Notes that the page is left: the next visit continues, or begins anew after a success. */
  leave(): void {
    if (this.#state.phase === "published") this.discard();
    else this.#set({ isRestored: Object.keys(this.#state.edited).length > 0 });
  }

  /** Creates what the plan needs and does not have yet, after removing what it no longer needs. */
  async create(api: ManagementApi, plan: Plan, changed: Changed): Promise<void> {
    if (this.#isBusy()) return;
    this.#set({ phase: "creating", failure: null });
    const done =
      (await this.#settle(api)) &&
      (await this.#removeAll(api, remainingOf(plan, this.#state.made).stale, changed)) &&
      (await this.#createAll(api, remainingOf(plan, this.#state.made).missing, changed));
    this.#set({ phase: done ? "published" : "stopped", at: null });
  }

  /** Removes everything that was created. The input stays. */
  async undo(api: ManagementApi, changed: Changed): Promise<boolean> {
    if (this.#isBusy()) return false;
    this.#set({ phase: "undoing", failure: null });
    const done =
      (await this.#settle(api)) && (await this.#removeAll(api, this.#state.made.toReversed(), changed));
    this.#set({ phase: done ? "editing" : "stopped", at: null });
    return done;
  }

  #isBusy(): boolean {
    return this.#state.phase === "creating" || this.#state.phase === "undoing";
  }

  async #createAll(api: ManagementApi, steps: readonly Step[], changed: Changed): Promise<boolean> {
    for (const step of steps) {
      const { key, kind, name, collection } = step;
      const request = step.request(idsOf(this.#state.made));
      const made = { key, kind, name, collection, path: request.path, sent: sentText(request) };
      // Known before it is sent, so that a reload in between loses nothing.
      this.#set({ at: key, uncertain: made });
      try {
        const { id } = (await api.send("POST", request.path, request.body)) as Base;
        this.#add(made, id);
      } catch (thrown) {
        if (isRefusal(thrown)) this.#set({ uncertain: null });
        this.#fail(made, "created", thrown);
        return false;
      } finally {
        changed(collection);
      }
    }
    return true;
  }

  async #removeAll(api: ManagementApi, records: readonly Made[], changed: Changed): Promise<boolean> {
    for (const record of records) {
      this.#set({ at: record.key });
      try {
        await api.send("DELETE", record.path);
      } catch (thrown) {
        // Removed already, by another user or with its parent.
        if (!(thrown instanceof ApiError && thrown.status === 404)) {
          this.#fail(record, "removed", thrown);
          return false;
        }
      } finally {
        changed(record.collection);
      }
      this.#set({ made: this.#state.made.filter((other) => other !== record) });
    }
    return true;
  }

  /** Finds out whether the record exists whose response was lost. */
  async #settle(api: ManagementApi): Promise<boolean> {
    const { uncertain, publication } = this.#state;
    if (uncertain === null) return true;
    this.#set({ at: uncertain.key });
    try {
      const found = await find(api, uncertain.path, publication, uncertain.key);
      if (found) this.#add(uncertain, found.id);
      else this.#set({ uncertain: null });
      return true;
    } catch (thrown) {
      this.#fail(uncertain, "created", thrown);
      return false;
    }
  }

  #add(record: Omit<Made, "id">, id: string): void {
    const made = { ...record, id, path: `${record.path}/${id}` };
    this.#set({ made: [...this.#state.made, made], uncertain: null });
  }

  #fail({ key, kind, name }: Omit<Made, "id">, verb: Failure["verb"], thrown: unknown): void {
    const named = thrown instanceof ApiError ? thrown.details["field"] : undefined;
    this.#set({ failure: { ...asProblem(thrown), key, kind, name, verb, member: named ?? "" } });
  }

  #set(changes: Partial<PublicationState>): void {
    this.#state = { ...this.#state, ...changes };
    const { edited, publication, made, uncertain, phase } = this.#state;
    const isOver = phase === "published" || (Object.keys(edited).length === 0 && made.length === 0);
    this.#storage.write(isOver ? null : { edited, publication, made, uncertain });
    for (const changed of this.#listeners) changed();
  }
}

function restoredState(stored: ReturnType<PublicationStorage["read"]>): PublicationState {
  const state = { ...empty(), ...stored };
  const isUnfinished = state.made.length > 0 || state.uncertain !== null;
  return {
    ...state,
    phase: isUnfinished ? "stopped" : "editing",
    isRestored: Object.keys(state.edited).length > 0,
  };
}

/** Whether the server has refused a request; after any other failure its record may exist. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500;
}

/** The record that a step has created, by its mark. */
async function find(
  api: ManagementApi,
  path: string,
  publication: string,
  key: string,
): Promise<Pick<Base, "id"> | undefined> {
  const mark = markOf(publication, key);
  const edge = /^(\/edges\/https\/[^/]+)\/routes$/.exec(path)?.[1];
  if (edge) {
    const { routes } = (await api.send("GET", edge)) as HttpsEdge;
    return routes.find(({ metadata }) => metadata === mark);
  }
  const { records } = await api.list({ path: path as Step["collection"] }, { search: publication });
  return records.find(({ metadata }) => metadata === mark);
}
