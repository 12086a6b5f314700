// The types of a request to one of the APIs: path, parameters, body and result follow from its description, the
// generated `paths`.

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** The paths that have a method. */
export type PathOf<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<Lowercase<M>, unknown> ? P : never;
}[keyof Paths];

type Operation<Paths, P, M extends Method> = P extends keyof Paths
  ? Paths[P] extends Record<Lowercase<M>, infer O>
    ? O
    : never
  : never;

type Json<R> = R extends { content: { "application/json": infer T } } ? T : null;

/** What a successful response contains; null for one without a body. */
export type Result<Paths, P, M extends Method> =
  Operation<Paths, P, M> extends { responses: infer R }
    ? { [S in keyof R]: S extends number ? Json<R[S]> : never }[keyof R]
    : never;

/** The body of a request; undefined for one without. */
export type Body<Paths, P, M extends Method> =
  Operation<Paths, P, M> extends { requestBody: { content: { "application/json": infer B } } }
    ? B
    : undefined;

/** The query of a request; empty for one without. */
export type Query<Paths, P, M extends Method> =
  Operation<Paths, P, M> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : Record<never, never>;

type ParametersIn<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParametersIn<Rest> : never;

/** The values for the `{…}` parts of a path. */
export type PathParameters<P> = Record<ParametersIn<P>, string>;

/** The path with its parameters filled in. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
}
