// Reads the metadata of identity providers as far as a login needs it, and writes that of this side (SAML 2.0).

const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";

/** The start tag of an element in any namespace. */
function starts(xml: string, element: string): string[] {
  return xml.match(new RegExp(`<(?:[A-Za-z_][\\w.-]*:)?${element}(?=[\\s/>])[^>]*>`, "g")) ?? [];
}

/** Whether a key is for signatures and has a certificate. */
function signs(key: string): boolean {
  const encrypts = /^<[^>]*\buse\s*=\s*["']encryption["']/.test(key);
  return !encrypts && /<(?:[\w.-]+:)?X509Certificate[\s>]\s*\S/.test(key);
}

/** Lists what is missing in the metadata for a login; null if complete. Checks only what the server requires. */
export function missingInMetadata(xml: string): string | null {
  const text = xml.replace(/<!--[\s\S]*?-->/g, "");
  const keys = text.match(/<(?:[\w.-]+:)?KeyDescriptor[\s>][\s\S]*?<\/(?:[\w.-]+:)?KeyDescriptor>/g) ?? [];
  const redirect = starts(text, "SingleSignOnService").some((element) =>
    /bindings:HTTP-Redirect["']/.test(element),
  );
  const certificate = keys.some(signs);
  if (certificate && redirect) return null;
  if (!certificate && !redirect)
    return "it has neither a signing certificate nor an address for logins by redirect";
  return certificate ? "it has no address for logins by redirect" : "it has no signing certificate";
}

/** Metadata of a route for the identity provider, the same as at its entity id. */
export function routeMetadata(view: Readonly<Record<string, unknown>>): string {
  const escapedValue = (name: string) => escaped(typeof view[name] === "string" ? view[name] : "");
  const certificate = escapedValue("request_signing_certificate_pem").replace(/-----[A-Z ]+-----|\s/g, "");
  const logout = (binding: string) =>
    `    <md:SingleLogoutService Binding="${BINDINGS}${binding}" Location="${escapedValue("single_logout_url")}"/>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapedValue("entity_id")}">`,
    '  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
    '    <md:KeyDescriptor use="signing">',
    '      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">',
    `        <ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>`,
    "      </ds:KeyInfo>",
    "    </md:KeyDescriptor>",
    logout("HTTP-Redirect"),
    logout("HTTP-POST"),
    `    <md:NameIDFormat>${escapedValue("nameid_format")}</md:NameIDFormat>`,
    `    <md:AssertionConsumerService Binding="${BINDINGS}HTTP-POST" Location="${escapedValue("assertion_consumer_service_url")}" index="0" isDefault="true"/>`,
    "  </md:SPSSODescriptor>",
    "</md:EntityDescriptor>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
