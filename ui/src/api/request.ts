// The types of a request to the management API: path, parameters, body and result follow from its description.
import type { paths } from "./generated";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, unknown> ? P : never;
}[keyof paths];

type Operation<P, M extends Method> = P extends keyof paths
  ? paths[P] extends Record<Lowercase<M>, infer O>
    ? O
    : never
  : never;

type Json<R> = R extends { content: { "application/json": infer T } } ? T : null;

/** What a successful response contains; null for one without a body. */
export type Result<P, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? { [S in keyof R]: Json<R[S]> }[keyof R] : never;

/** The body of a request; undefined for one without. */
export type Body<P, M extends Method> =
  Operation<P, M> extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;

type ParametersIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;

/** The values for the `{…}` parts of a path. */
export type PathParameters<P extends string> = Record<ParametersIn<P>, string>;

/** The path with its parameters filled in. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
}
