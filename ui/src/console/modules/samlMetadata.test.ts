// Missing parts in the metadata of identity providers are found before the first login.
import { expect, it } from "vitest";
import { missingInMetadata } from "./samlMetadata";

const KEY = "<KeyInfo><X509Data><X509Certificate>MIIC</X509Certificate></X509Data></KeyInfo>";
const REDIRECT =
  'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.test/sso"';

it.each([
  [`<md:KeyDescriptor use="signing">${KEY}</md:KeyDescriptor><md:SingleSignOnService ${REDIRECT}/>`, null],
  [
    `<KeyDescriptor>${KEY.replaceAll("X509", "ds:X509")}</KeyDescriptor><SingleSignOnService\n${REDIRECT}></SingleSignOnService>`,
    null,
  ],
  ["<EntityDescriptor/>", "it has neither a signing certificate nor an address for logins by redirect"],
  [`<SingleSignOnService ${REDIRECT}/>`, "it has no signing certificate"],
  [
    `<KeyDescriptor use='encryption'>${KEY}</KeyDescriptor><SingleSignOnService ${REDIRECT}/>`,
    "it has no signing certificate",
  ],
  [
    `<!--<KeyDescriptor>${KEY}</KeyDescriptor>--><SingleSignOnService ${REDIRECT}/>`,
    "it has no signing certificate",
  ],
  [
    `<KeyDescriptor>${KEY}</KeyDescriptor><SingleLogoutService ${REDIRECT}/>`,
    "it has no address for logins by redirect",
  ],
  [
    `<KeyDescriptor>${KEY}</KeyDescriptor><SingleSignOnService ${REDIRECT.replace("Redirect", "POST")}/>`,
    "it has no address for logins by redirect",
  ],
])("%#", (xml, lacking) => {
  expect(missingInMetadata(xml)).toBe(lacking);
});
