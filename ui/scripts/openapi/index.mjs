// The generator of the API types. It needs TypeScript's JavaScript API, which the compiler of the web app lacks.
import ts from "typescript";
export { default, astToString } from "openapi-typescript";

/** For the generator's option `transform`: bytes are an `ArrayBuffer`. */
export function bytesAsBuffer({ format }) {
  return format === "binary" ? ts.factory.createTypeReferenceNode("ArrayBuffer") : undefined;
}
