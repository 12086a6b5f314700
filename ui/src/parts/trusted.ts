// The one place that may make a script's address or markup of text, where the page's policy asks for trusted types.

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

/** Only for documents that cannot run scripts: one that is only read, and a sandboxed frame. */
export function inertMarkup(text: string): string {
  return rules().createHTML(text);
}

/** The address of a script that was built with the page. */
export function ownScript(address: string): string {
  return rules().createScriptURL(address);
}
