// SimpleSAMLphp, as Debian packages it: a login form, and signatures on response and assertion.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Answer, Until, Visitor } from "../visitor";
import { carry, Desk, form, freePort, PERSON, Program, type SamlIdp, type ServiceProvider } from "./idp";

const HOME = "/usr/share/simplesamlphp";
const TEMPLATE = "/usr/share/doc/simplesamlphp/examples/config-templates/config.php.gz";

export class SimpleSamlPhp implements SamlIdp {
  metadata = "";

  private constructor(
    private readonly desk: Desk,
    private readonly program: Program,
    readonly base: string,
  ) {}

  static async start(): Promise<SimpleSamlPhp> {
    if (!existsSync(`${HOME}/www`)) throw new Error("SimpleSAMLphp is needed: install the package simplesamlphp");
    const desk = new Desk("simplesamlphp");
    for (const folder of ["config", "metadata", "cert", "data", "temp", "log", "sessions"]) mkdirSync(desk.path(folder));
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const changes = `
$config = array_merge($config, [
  'baseurlpath' => '${base}/', 'certdir' => '${desk.at}/', 'metadatadir' => '${desk.path("metadata")}/',
  'metadata.sources' => [['type' => 'flatfile', 'directory' => '${desk.path("metadata")}']],
  'datadir' => '${desk.path("data")}/', 'tempdir' => '${desk.path("temp")}', 'loggingdir' => '${desk.path("log")}/',
  'secretsalt' => 'specs-of-logins', 'auth.adminpassword' => 'specs-of-logins', 'timezone' => 'UTC',
  'enable.saml20-idp' => true, 'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'store.type' => 'phpsession', 'session.phpsession.savepath' => '${desk.path("sessions")}',
  'session.cookie.secure' => false, 'session.cookie.samesite' => null, 'logging.handler' => 'file',
  'showerrors' => true, 'errorreporting' => false,
]);
`;
    const template = execFileSync("zcat", [TEMPLATE]).toString().replace(/\?>\s*$/, "");
    writeFileSync(desk.path("config/config.php"), template + changes);
    const groups = PERSON.groups.map((group) => `'${group}'`).join(",");
    writeFileSync(
      desk.path("config/authsources.php"),
      `<?php $config = ['people' => ['exampleauth:UserPass', '${PERSON.name}:${PERSON.password}' => [
        'id' => ['${PERSON.id}'], 'mail' => ['${PERSON.id}'], 'displayName' => ['The ada'], 'groups' => [${groups}]]]];`,
    );
    writeFileSync(
      desk.path("metadata/saml20-idp-hosted.php"),
      `<?php $metadata['${base}/idp'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.key', 'certificate' => 'idp.crt',
        'auth' => 'people', 'saml20.sign.response' => true, 'saml20.sign.assertion' => true,
        'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', 'sign.logout' => true,
        'authproc' => [3 => ['class' => 'saml:AttributeNameID', 'attribute' => 'id',
          'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent']]];`,
    );
    writeFileSync(desk.path("metadata/saml20-sp-remote.php"), "<?php $metadata = [];");
    const described = `${base}/saml2/idp/metadata.php?output=xml`;
    const words = ["-d", "error_reporting=0", "-S", `127.0.0.1:${port}`, "-t", `${HOME}/www`];
    const program = await Program.start("php", words, described, { SIMPLESAMLPHP_CONFIG_DIR: desk.path("config") });
    const idp = new SimpleSamlPhp(desk, program, base);
    idp.metadata = await (await fetch(described)).text();
    return idp;
  }

  async trust(sp: ServiceProvider): Promise<void> {
    const certificate = sp.certificate.replace(/-----[^-]+-----|\s/g, "");
    const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
    writeFileSync(
      this.desk.path("metadata/saml20-sp-remote.php"),
      `<?php $metadata['${sp.entity}'] = ['AssertionConsumerService' => '${sp.acs}',
        'SingleLogoutService' => [['Binding' => '${redirect}', 'Location' => '${sp.slo}']],
        'certData' => '${certificate}', 'validate.authnrequest' => true, 'validate.logout' => true,
        'sign.logout' => true];`,
    );
  }

  async logIn(visitor: Visitor, page: Answer, until?: Until): Promise<Answer> {
    return carry(visitor, await this.enter(visitor, page), until);
  }

  /** Fills in the form; the page with the response. */
  async enter(visitor: Visitor, page: Answer): Promise<Answer> {
    const { action, fields } = form(page);
    // Who is known already is not asked.
    if (fields["SAMLResponse"] !== undefined) return page;
    const filled = { ...fields, username: PERSON.name, password: PERSON.password };
    return visitor.follow(await visitor.ask(action, { form: filled }));
  }

  /** Where a login begins here. */
  begins(sp: ServiceProvider, state: string): string {
    const words = new URLSearchParams({ spentityid: sp.entity, RelayState: state });
    return `${this.base}/saml2/idp/SSOService.php?${words.toString()}`;
  }

  async stop(): Promise<void> {
    await this.program.stop();
    this.desk.clear();
  }
}
