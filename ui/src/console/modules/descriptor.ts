// The description of a module: its owners, its form, and its settings in words.
import type { ServerFacts } from "../../api/generated";
import type { Body, Draft, FormDescription } from "../form/field";

/** The kinds that can have modules. */
export type Owner = "https_edge" | "https_route" | "tls_edge" | "tcp_edge";

/** Facts about the server that logins depend on. */
export type LoginFacts = Pick<ServerFacts, "oauth_apps" | "microsoft_tenants">;

export interface ModuleDescriptor extends FormDescription {
  /** Its name in paths and in the record of its owner. */
  name: string;
  label: string;
  /** What it does, in one sentence. */
  about: string;
  /** The kinds of owners that can have it. */
  owners: readonly Owner[];
  /** Its position among the stages of the edge, from the visitor to the backend and back. */
  stage: number;
  /** Whether it runs after the backend has responded. */
  changesResponses?: boolean;
  /** Whether visitors log in. A route can have only one such module enabled. */
  isLogin?: boolean;
  /** Its name in the recorded decisions of the edge. */
  trace: string;
  /** Its settings in one line, from the record of the API. */
  summary(view: Body): string;
  /** What visitors get when it is turned off or removed. */
  without: string;
  /** Notes before it is sent. `server`: what the operator has set up for logins, if known. */
  warnings?(draft: Draft, server: LoginFacts | null): readonly string[];
}
