// What all cases share: the clock, bodies, and the list of vectors.

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

export const HOST = "https://hooks.localhost";
// In 2033: certificates count from the day on which they are made.
export const NOW = 2_000_000_000;
Date.now = () => NOW * 1000;
export const JSON_BODY = '{"id":"evt_1","object":"event","note":"héllo \\u00e9 <&>","list":[1,2.50]}';
export const FORM = {
  CallSid: "CA1234567890ABCDE",
  Caller: "+14158675309",
  Digits: "1234",
  From: "é ü",
  To: "a&b=c",
  Empty: "",
};
export const FORM_BODY = new URLSearchParams(FORM).toString();

export const vectors = [];
export const certificates = {};

/** Takes one vector; `accepted` says whether the library takes it, where it cannot sign. */
export async function vector(
  provider,
  library,
  { secret, target = "", method = "POST", headers, body = "", accepted, type },
) {
  if (accepted !== undefined && (await accepted) !== true) {
    throw new Error(`${library} does not accept its ${provider} webhook`);
  }
  const version = JSON.parse(readFileSync(`node_modules/${library}/package.json`, "utf8")).version;
  const kind = type ?? "application/json";
  const all = Object.entries({ ...(body ? { "content-type": kind } : {}), ...headers });
  vectors.push({ provider, library: `${library} ${version}`, secret, method, target, headers: all, body });
}

export const path = (provider) => `/sdk/${vectors.length}/${provider}`;
export const hmac = (algorithm, key, text, encoding) =>
  createHmac(algorithm, key).update(text).digest(encoding);
export const holds = (call) => {
  try {
    return call() !== false;
  } catch (error) {
    console.error(error);
    return false;
  }
};
