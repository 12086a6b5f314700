// The generator of the API types. It needs TypeScript's JavaScript API, which the compiler of the web app lacks.
export { default, astToString } from "openapi-typescript";
