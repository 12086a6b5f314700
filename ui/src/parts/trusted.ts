// The only place that turns text into a script URL or markup, where the page's policy requires trusted types.

interface Policy {
  createHTML(text: string): string;
  createScriptURL(text: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | null = null;

function rules(): Policy {
  if (policy) return policy;
  const plain: Policy = {
    createHTML: (text) => text,
    createScriptURL: (text) => {
      if (new URL(text, location.href).origin !== location.origin)
        throw new TypeError("a script of another origin is not run");
      return text;
    },
  };
  const { trustedTypes } = globalThis as { trustedTypes?: Factory };
  policy = trustedTypes ? trustedTypes.createPolicy("postern", plain) : plain;
  return policy;
}

/** Only for documents that cannot run scripts: a parsed, detached one and a sandboxed frame. */
export function trustedInertHtml(text: string): string {
  return rules().createHTML(text);
}

/** The URL of a script that was built with the page. */
export function trustedScriptUrl(address: string): string {
  return rules().createScriptURL(address);
}
