// What generate.mjs offers to the test that compares.
export const TYPES: URL;
export const LOCAL_TYPES: URL;
export const DESKTOP_TYPES: URL;
export function types(): Promise<string>;
export function localTypes(): Promise<string>;
export function desktopTypes(): Promise<string>;
