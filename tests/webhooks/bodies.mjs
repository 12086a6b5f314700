// Cases whose signatures cover the body, and some a timestamp.

import { createRequire } from "node:module";
import { JSON_BODY, NOW, hmac, holds, path, vector } from "./kit.mjs";

const require = createRequire(import.meta.url);

// github
{
  const { sign } = await import("@octokit/webhooks-methods");
  const secret = "It's a Secret to Everybody";
  const body = "Hello, World!";
  const headers = { "X-Hub-Signature-256": await sign(secret, body) };
  await vector("github", "@octokit/webhooks-methods", {
    secret,
    target: path("github"),
    headers,
    body,
    type: "text/plain",
  });
}

// stripe
{
  const { default: Stripe } = await import("stripe");
  const stripe = new Stripe("sk_test_1");
  const secret = "whsec_test_secret";
  const made = stripe.webhooks.generateTestHeaderString({ payload: JSON_BODY, secret, timestamp: NOW });
  await vector("stripe", "stripe", {
    secret,
    target: path("stripe"),
    headers: { "Stripe-Signature": made },
    body: JSON_BODY,
  });
}

// slack
{
  const { verifySlackRequest } = require("@slack/bolt");
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J";
  const signature = `v0=${hmac("sha256", secret, `v0:${NOW}:${body}`, "hex")}`;
  const headers = { "x-slack-signature": signature, "x-slack-request-timestamp": NOW };
  const accepted = holds(() =>
    verifySlackRequest({ signingSecret: secret, body, headers, nowMilliseconds: NOW * 1000 }),
  );
  const type = "application/x-www-form-urlencoded";
  await vector("slack", "@slack/bolt", {
    secret,
    target: path("slack"),
    headers: { ...headers, "x-slack-request-timestamp": `${NOW}` },
    body,
    accepted,
    type,
  });
}

// svix, clerk, brex
{
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  for (const [provider, library, prefix] of [
    ["svix", "svix", "svix"],
    ["svix", "standardwebhooks", "webhook"],
    ["clerk", "svix", "svix"],
    ["brex", "standardwebhooks", "webhook"],
  ]) {
    const { Webhook } = await import(library);
    const signature = new Webhook(secret).sign(id, new Date(NOW * 1000), JSON_BODY);
    const headers = {
      [`${prefix}-id`]: id,
      [`${prefix}-timestamp`]: `${NOW}`,
      [`${prefix}-signature`]: signature,
    };
    await vector(provider, library, { secret, target: path(provider), headers, body: JSON_BODY });
  }
}

// graphcms
{
  const { generateWebhookSignature } = require("@hygraph/utils");
  const secret = "rCNwyiloY3oJYYkxgpBXaleIiUv5MYlx";
  const bodies = [JSON_BODY, '{"text":"line\\nbreak \\"quoted\\" \u2028 \u0001 \u007f 😀 </script>"}'];
  for (const body of bodies) {
    const signature = generateWebhookSignature({ rawPayload: body, secret, environmentName: 'pre "prod"' });
    await vector("graphcms", "@hygraph/utils", {
      secret,
      target: path("graphcms"),
      headers: { "gcms-signature": signature },
      body,
    });
  }
}

// linear
{
  const { LinearWebhookClient } = await import("@linear/sdk/webhooks");
  const secret = "lin_wh_1";
  const body = `{"action":"create","type":"Issue","webhookTimestamp":${NOW * 1000}}`;
  const signature = hmac("sha256", secret, body, "hex");
  const accepted = holds(() => new LinearWebhookClient(secret).verify(Buffer.from(body), signature));
  await vector("linear", "@linear/sdk", {
    secret,
    target: path("linear"),
    headers: { "linear-signature": signature },
    body,
    accepted,
  });
}

// mux
{
  const { default: Mux } = await import("@mux/mux-node");
  const secret = "mux-secret";
  const headers = { "mux-signature": `t=${NOW},v1=${hmac("sha256", secret, `${NOW}.${JSON_BODY}`, "hex")}` };
  const mux = new Mux({ tokenId: "a", tokenSecret: "b", webhookSecret: secret });
  const accepted = mux.webhooks.verifySignature(JSON_BODY, headers, secret).then(() => true);
  await vector("mux", "@mux/mux-node", { secret, target: path("mux"), headers, body: JSON_BODY, accepted });
}

// orb
{
  const { default: Orb } = await import("orb-billing");
  const secret = "orb-secret";
  const timestamp = new Date(NOW * 1000).toISOString().replace("Z", "");
  const orb = new Orb({ apiKey: "a", webhookSecret: secret });
  const headers = {
    "X-Orb-Timestamp": timestamp,
    "X-Orb-Signature": orb.webhooks.signPayload(JSON_BODY, { timestamp, secret }),
  };
  const accepted = holds(() => orb.webhooks.verifySignature(JSON_BODY, headers, secret));
  await vector("orb", "orb-billing", { secret, target: path("orb"), headers, body: JSON_BODY, accepted });
}

// pusher
{
  const Pusher = require("pusher");
  const secret = "pusher-secret";
  const pusher = new Pusher({ appId: "1", key: "key", secret, cluster: "eu" });
  const signature = pusher.config.token.sign(JSON_BODY);
  const headers = { "x-pusher-key": "key", "x-pusher-signature": signature };
  const accepted = pusher
    .webhook({ headers: { ...headers, "content-type": "application/json" }, rawBody: JSON_BODY })
    .isValid();
  await vector("pusher", "pusher", { secret, target: path("pusher"), headers, body: JSON_BODY, accepted });
}

// shopify
{
  await import("@shopify/shopify-api/adapters/node");
  const { shopifyApi, ApiVersion } = await import("@shopify/shopify-api");
  const secret = "shopify-secret";
  const headers = {
    "X-Shopify-Hmac-Sha256": hmac("sha256", secret, JSON_BODY, "base64"),
    "X-Shopify-Topic": "orders/create",
    "X-Shopify-API-Version": "2025-01",
    "X-Shopify-Shop-Domain": "a.myshopify.com",
    "X-Shopify-Webhook-Id": "1",
  };
  const shopify = shopifyApi({
    apiKey: "a",
    apiSecretKey: secret,
    scopes: [],
    hostName: "a.test",
    isEmbeddedApp: false,
    apiVersion: Object.values(ApiVersion).at(-2),
    logger: { log: () => {} },
  });
  const accepted = shopify.webhooks
    .validate({ rawBody: JSON_BODY, rawRequest: { method: "POST", url: "/", headers } })
    .then(({ valid }) => valid);
  await vector("shopify", "@shopify/shopify-api", {
    secret,
    target: path("shopify"),
    headers,
    body: JSON_BODY,
    accepted,
  });
}

// modern_treasury
{
  const { default: ModernTreasury } = await import("modern-treasury");
  const secret = "mt-secret";
  const client = new ModernTreasury({ apiKey: "a", organizationID: "b", webhookKey: secret });
  const headers = { "X-Signature": client.webhooks.getSignature(JSON_BODY) };
  await vector("modern_treasury", "modern-treasury", {
    secret,
    target: path("modern_treasury"),
    headers,
    body: JSON_BODY,
  });
}

// coinbase
{
  const { Webhook } = require("coinbase-commerce-node");
  const secret = "cc-secret";
  const signature = hmac("sha256", secret, JSON_BODY, "hex");
  const accepted = holds(() => (Webhook.verifySigHeader(JSON_BODY, signature, secret), true));
  await vector("coinbase", "coinbase-commerce-node", {
    secret,
    target: path("coinbase"),
    headers: { "X-CC-Webhook-Signature": signature },
    body: JSON_BODY,
    accepted,
  });
}

// box
{
  const { WebhooksManager } = require("box-node-sdk/lib/managers/webhooks");
  const secret = "box-primary";
  const timestamp = new Date((NOW - 8 * 3600) * 1000).toISOString().replace(".000Z", "-08:00");
  const signature = hmac("sha256", secret, JSON_BODY + timestamp, "base64");
  const headers = {
    "box-delivery-timestamp": timestamp,
    "box-signature-version": "1",
    "box-signature-algorithm": "HmacSHA256",
    "box-signature-primary": signature,
  };
  const accepted = WebhooksManager.validateMessage(JSON_BODY, headers, secret, { maxAge: 600 });
  await vector("box", "box-node-sdk", { secret, target: path("box"), headers, body: JSON_BODY, accepted });
}

// worldline
{
  const { webhooks } = require("connect-sdk-nodejs");
  const { newSignatureValidator } = require("connect-sdk-nodejs/lib/webhooks/validation");
  const secret = "hello+world";
  const headers = {
    "X-GCS-Signature": hmac("sha256", secret, JSON_BODY, "base64"),
    "X-GCS-KeyId": "dummy-key-id",
  };
  const store = { getSecretKey: async () => secret };
  const accepted = newSignatureValidator(store)
    .validate(JSON_BODY, headers)
    .then(() => webhooks !== undefined);
  await vector("worldline", "connect-sdk-nodejs", {
    secret,
    target: path("worldline"),
    headers,
    body: JSON_BODY,
    accepted,
  });
}
