// The types of a request to one of the APIs: path, parameters, body and result follow from its description, the
// generated `paths`.
import { ApiError } from "./problem";

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

/** Sends requests to the paths of a description; the types follow from there. `send` gets the concrete path. */
export function typedRequest<Paths>(
  send: (method: Method, path: string, body?: unknown) => Promise<unknown>,
) {
  return async <M extends Method, P extends PathOf<Paths, M> & string>(
    method: M,
    path: P,
    parameters: PathParameters<P>,
    ...[body]: Body<Paths, P, M> extends undefined ? [] : [body: Body<Paths, P, M>]
  ): Promise<Result<Paths, P, M>> =>
    (await send(method, fillPath(path, parameters), body)) as Result<Paths, P, M>;
}

/** The JSON of a response; null for one without a body. */
export function parseResponse(body: string, sender: "agent" | "server"): unknown {
  if (body === "") return null;
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError("ANSWER_UNREADABLE", `The ${sender}'s response could not be parsed.`, 502);
  }
}
