// What identity providers say of themselves, as far as a login needs it; and what this side says to them.

/** An element's start, whatever its namespace is called. */
function starts(xml: string, element: string): string[] {
  return xml.match(new RegExp(`<(?:[A-Za-z_][\\w.-]*:)?${element}(?=[\\s/>])[^>]*>`, "g")) ?? [];
}

/** Whether a key is for signatures, and has a certificate. */
function signs(key: string): boolean {
  const encrypts = /^<[^>]*\buse\s*=\s*["']encryption["']/.test(key);
  return !encrypts && /<(?:[\w.-]+:)?X509Certificate[\s>]\s*\S/.test(key);
}

/** What an identity provider's metadata lacks for a login; null if there is all. Only what the server asks for. */
export function missing(xml: string): string | null {
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
