// Cases whose signatures cover the public address.

import { createRequire } from "node:module";
import { FORM, FORM_BODY, HOST, JSON_BODY, NOW, hmac, path, vector } from "./kit.mjs";

const require = createRequire(import.meta.url);

// twilio
{
  const twilio = require("twilio");
  const { getExpectedTwilioSignature, getExpectedBodyHash } = require("twilio/lib/webhooks/webhooks");
  const secret = "12345";
  for (const query of ["?foo=1&bar=2", "", "?q=it's+%C3%A9"]) {
    const target = path("twilio") + query;
    const signature = twilio.getExpectedTwilioSignature(secret, HOST + target, FORM);
    const type = "application/x-www-form-urlencoded";
    await vector("twilio", "twilio", {
      secret,
      target,
      headers: { "X-Twilio-Signature": signature },
      body: FORM_BODY,
      type,
    });
  }
  const target = `${path("twilio")}?foo=1&bodySHA256=${getExpectedBodyHash(JSON_BODY)}`;
  const signature = getExpectedTwilioSignature(secret, HOST + target, {});
  const accepted = twilio.validateRequestWithBody(secret, signature, HOST + target, JSON_BODY);
  await vector("twilio", "twilio", {
    secret,
    target,
    headers: { "X-Twilio-Signature": signature },
    body: JSON_BODY,
    accepted,
  });
}

// contentful
{
  const { signRequest } = require("@contentful/node-apps-toolkit");
  const secret = "x".repeat(64);
  for (const [method, query, body] of [
    ["POST", "", JSON_BODY],
    ["PUT", "/a%20b?x=1&y=%C3%A9", JSON_BODY],
    ["DELETE", "", ""],
  ]) {
    const target = path("contentful") + query;
    const sent = {
      "X-Contentful-Topic": "ContentManagement.Entry.publish",
      "X-Contentful-CRN": " crn:contentful ",
    };
    const signed = signRequest(secret, { method, path: target, headers: sent, body }, NOW * 1000);
    const headers = {
      "X-Contentful-Topic": sent["X-Contentful-Topic"],
      "X-Contentful-CRN": "crn:contentful",
      ...signed,
    };
    await vector("contentful", "@contentful/node-apps-toolkit", { secret, method, target, headers, body });
  }
}

// hubspot
{
  const { Signature } = require("@hubspot/api-client");
  const secret = "client-secret";
  for (const [version, timestamp] of [["v1"], ["v2"], ["v3", NOW * 1000]]) {
    const target = `${path("hubspot")}?a=b`;
    const signature = Signature.getSignature("POST", version, {
      clientSecret: secret,
      requestBody: JSON_BODY,
      url: HOST + target,
      timestamp,
    });
    const headers =
      version === "v3"
        ? { "X-HubSpot-Signature-v3": signature, "X-HubSpot-Request-Timestamp": `${timestamp}` }
        : { "X-HubSpot-Signature": signature, "X-HubSpot-Signature-Version": version };
    await vector("hubspot", "@hubspot/api-client", { secret, target, headers, body: JSON_BODY });
  }
}

// plivo
{
  const plivo = require("plivo");
  const secret = "MAMZRLMDI0NGYXNDYZND";
  const nonce = "12345678901234567890";
  const joined = (fields) =>
    Object.keys(fields)
      .sort()
      .map((name) => name + fields[name])
      .join("");
  for (const [method, query, fields] of [
    ["POST", "?b=2&a=1", FORM],
    ["POST", "", FORM],
    ["POST", "?b=2", {}],
    ["GET", "?b=2&a=1&b=1", {}],
    ["GET", "", {}],
  ]) {
    const target = path("plivo") + query;
    const pairs = [...new URLSearchParams(query)]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join("&");
    const form = joined(fields);
    const text = `${HOST}${target.split("?")[0]}${pairs || form ? "?" : ""}${pairs}${pairs && form ? "." : ""}${form}.${nonce}`;
    const signature = hmac("sha256", secret, Buffer.from(text), "base64");
    // The library hands text on as Latin letters, so it can only be asked about such.
    const plain = Object.values(fields).every((value) => /^[\x20-\x7e]*$/.test(value));
    const accepted = plain
      ? plivo.validateV3Signature(method, HOST + target, nonce, secret, signature, fields)
      : undefined;
    const headers = { "X-Plivo-Signature-V3": signature, "X-Plivo-Signature-V3-Nonce": nonce };
    const body = new URLSearchParams(fields).toString();
    await vector("plivo", "plivo", {
      secret,
      method,
      target,
      headers,
      body,
      accepted,
      type: "application/x-www-form-urlencoded",
    });
  }
  const target = `${path("plivo")}?a=1`;
  const signature = hmac("sha256", secret, HOST + target.split("?")[0] + nonce, "base64");
  const accepted = plivo.validateSignature(HOST + target, nonce, signature, secret);
  await vector("plivo", "plivo", {
    secret,
    target,
    headers: { "X-Plivo-Signature-V2": signature, "X-Plivo-Signature-V2-Nonce": nonce },
    accepted,
  });
}

// square
{
  const { WebhooksHelper } = require("square");
  const secret = "asdf1234";
  const target = `${path("square")}?a=1`;
  const signature = hmac("sha256", secret, HOST + target + JSON_BODY, "base64");
  const accepted = WebhooksHelper.verifySignature({
    requestBody: JSON_BODY,
    signatureHeader: signature,
    signatureKey: secret,
    notificationUrl: HOST + target,
  });
  await vector("square", "square", {
    secret,
    target,
    headers: { "x-square-hmacsha256-signature": signature },
    body: JSON_BODY,
    accepted,
  });
}
