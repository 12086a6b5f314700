// What generate.mjs offers to the test that compares.
export const TYPES: URL;
export function types(): Promise<string>;
