// A route that a SAML module guards, and what its identity provider must be told of it.
import type { LoginWorld } from "../world";
import type { SamlIdp, ServiceProvider } from "./idp";

interface SamlModule {
  entity_id: string;
  assertion_consumer_service_url: string;
  single_logout_url: string;
  request_signing_certificate_pem: string;
}

export class SamlRoute {
  private constructor(
    private readonly here: LoginWorld,
    private readonly path: string,
    readonly sp: ServiceProvider,
  ) {}

  /** As guides of identity providers say: a module without metadata first, then each side learns of the other. */
  static async guards(
    here: LoginWorld,
    path: string,
    idp: SamlIdp,
    module: Record<string, unknown> = {},
  ): Promise<SamlRoute> {
    const made = await here.guardedBy(path, { saml: { idp_metadata: "<EntityDescriptor/>", ...module } });
    const saml = made["saml"] as SamlModule;
    const described = await here.visitor().ask(saml.entity_id);
    if (described.status !== 200) throw new Error(`no metadata: ${described.status} ${described.body}`);
    const sp = {
      entity: saml.entity_id,
      acs: saml.assertion_consumer_service_url,
      slo: saml.single_logout_url,
      certificate: saml.request_signing_certificate_pem,
      metadata: described.body,
    };
    const route = new SamlRoute(here, here.modulesOf(String(made["id"])), sp);
    await idp.trust(sp);
    await route.set({ idp_metadata: idp.metadata, ...module });
    return route;
  }

  /** Sets the module anew. */
  async set(module: Record<string, unknown>): Promise<void> {
    await this.here.world.manage("PUT", `${this.path}/saml`, module);
  }
}
