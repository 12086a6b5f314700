// Forgeries that an attacker could make from one real response of an identity provider.

/** The forged name; no visitor may ever be logged in under it. */
export const FORGED = "mallory@evil.test";

const ASSERTION = /<((?:\w+:)?)Assertion\b[^]*?<\/\1Assertion>/;
const SIGNATURE = /<((?:\w+:)?)Signature\b[^]*?<\/\1Signature>/;
const CLOSED = /<\/(?:\w+:)?Assertion>/;

/** Changed answers by name, given the name in it that is right. */
export function variations(xml: string, name: string): [string, string][] {
  const signed = ASSERTION.exec(xml)?.[0];
  if (signed === undefined) throw new Error(`no assertion in ${xml.slice(0, 400)}`);
  const bare = signed.replace(SIGNATURE, "");
  const id = /\bID=['"]([^'"]+)['"]/.exec(signed)?.[1] ?? "";
  const forgedAlike = bare.replaceAll(name, FORGED);
  const forged = forgedAlike.replaceAll(id, "_forged");
  const wrapped = signed.includes("Signature>") ? signed : bare;
  const place = (text: string) => xml.replace(signed, () => text);
  const without = xml.replace(new RegExp(SIGNATURE, "g"), "");
  const declared = /^<\?xml[^>]*\?>/.exec(xml)?.[0] ?? "";
  const typed = (type: string, body: string) => declared + type + body.slice(declared.length);
  return [
    ["another name under the signature", xml.replaceAll(name, FORGED)],
    ["without signatures", without],
    ["without signatures, forged", without.replaceAll(name, FORGED)],
    ["a forged assertion before the real one", place(forged + wrapped)],
    ["a forged assertion behind the real one", place(wrapped + forged)],
    ["a forged assertion with the same id before the real one", place(forgedAlike + wrapped)],
    ["the real assertion within a forged one", place(forged.replace(CLOSED, (end) => wrapped + end))],
    ["a forged assertion within the real one", place(wrapped.replace(CLOSED, (end) => forged + end))],
    ["a comment in the name", xml.replaceAll(name, `${name.slice(0, 3)}<!-- -->${name.slice(3)}`)],
    ["a document type", typed("<!DOCTYPE x>", xml)],
    ["an entity", typed(`<!DOCTYPE x [<!ENTITY e "${FORGED}">]>`, xml.replaceAll(name, "&e;"))],
    ["cut off", xml.slice(0, -20)],
    ["cut in half", xml.slice(0, xml.length / 2)],
    ["older algorithms", xml.replaceAll(/rsa-sha256/g, "rsa-sha1")],
    ["no algorithm", xml.replaceAll(/http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#rsa-sha256/g, "none")],
    ["the response twice", xml + xml.slice(declared.length)],
  ];
}
