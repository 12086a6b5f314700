// The providers of webhooks that can be verified: their API names and their display names.

/** What signatures are verified with, where it is not a shared secret. */
type Special = "key" | "none";

const TABLE: readonly (readonly [name: string, label: string, special?: Special])[] = [
  ["aftership", "AfterShip"],
  ["airship", "Airship"],
  ["alchemy", "Alchemy"],
  ["sns", "Amazon SNS", "none"],
  ["autodesk", "Autodesk"],
  ["bitbucket", "Bitbucket"],
  ["bolt", "Bolt"],
  ["box", "Box"],
  ["brex", "Brex"],
  ["buildkite", "Buildkite"],
  ["calendly", "Calendly"],
  ["castle", "Castle"],
  ["chargify", "Chargify"],
  ["circleci", "CircleCI"],
  ["clearbit", "Clearbit"],
  ["clerk", "Clerk"],
  ["coinbase", "Coinbase"],
  ["contentful", "Contentful"],
  ["docusign", "DocuSign"],
  ["dropbox", "Dropbox"],
  ["facebook_graph_api", "Facebook Graph API"],
  ["facebook_messenger", "Facebook Messenger"],
  ["frameio", "Frame.io"],
  ["github", "GitHub"],
  ["gitlab", "GitLab"],
  ["go1", "Go1"],
  ["heroku", "Heroku"],
  ["hostedhooks", "HostedHooks"],
  ["hubspot", "HubSpot"],
  ["graphcms", "Hygraph (GraphCMS)"],
  ["instagram", "Instagram"],
  ["intercom", "Intercom"],
  ["jira", "Jira"],
  ["launch_darkly", "LaunchDarkly"],
  ["linear", "Linear"],
  ["mailchimp", "Mailchimp"],
  ["mailgun", "Mailgun"],
  ["microsoft_teams", "Microsoft Teams"],
  ["modern_treasury", "Modern Treasury"],
  ["mongodb", "MongoDB"],
  ["mux", "Mux"],
  ["orb", "Orb"],
  ["orbit", "Orbit"],
  ["pagerduty", "PagerDuty"],
  ["pinwheel", "Pinwheel"],
  ["plivo", "Plivo"],
  ["pusher", "Pusher"],
  ["sendgrid", "SendGrid", "key"],
  ["sentry", "Sentry"],
  ["shopify", "Shopify"],
  ["signal_sciences", "Signal Sciences"],
  ["slack", "Slack"],
  ["sonatype", "Sonatype Nexus"],
  ["square", "Square"],
  ["stripe", "Stripe"],
  ["svix", "Svix"],
  ["terraform", "Terraform"],
  ["tiktok", "TikTok"],
  ["trendmicro_conformity", "Trend Micro Conformity"],
  ["twilio", "Twilio"],
  ["twitter", "Twitter"],
  ["typeform", "Typeform"],
  ["vmware", "VMware Workspace"],
  ["webex", "Webex"],
  ["whatsapp", "WhatsApp"],
  ["worldline", "Worldline"],
  ["xero", "Xero"],
  ["zendesk", "Zendesk"],
  ["zoom", "Zoom"],
];

/** Other names of some providers. */
export const ALIASES: Readonly<Record<string, string>> = {
  launchdarkly: "launch_darkly",
  signalsciences: "signal_sciences",
  sonatype_nexus: "sonatype",
  vmware_workspace: "vmware",
};

export const WEBHOOK_PROVIDERS = TABLE.map(([value, label]) => ({ value, label }));

/** The provider with any of its names, in any case; null for an unknown one. */
export function webhookProvider(
  name: string,
): { value: string; label: string; secret: "shared" | Special } | null {
  const lower = name.toLowerCase();
  const found = TABLE.find(([value]) => value === (ALIASES[lower] ?? lower));
  return found ? { value: found[0], label: found[1], secret: found[2] ?? "shared" } : null;
}
