// Cases with public keys.

import { execFileSync } from "node:child_process";
import { createSign, generateKeyPairSync, sign as signWith } from "node:crypto";
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSON_BODY, NOW, certificates, path, vector } from "./kit.mjs";

const require = createRequire(import.meta.url);

// sendgrid
{
  const { EventWebhook } = require("@sendgrid/eventwebhook");
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signature = signWith("sha256", Buffer.from(NOW + JSON_BODY), privateKey).toString("base64");
  const webhook = new EventWebhook();
  const key = publicKey.export({ type: "spki", format: "pem" });
  // The library reads bytes beyond ASCII in another way than they are sent.
  const body = '[{"email":"a@b.test","event":"processed"}]\r\n';
  const plain = signWith("sha256", Buffer.from(NOW + body), privateKey).toString("base64");
  const accepted = webhook.verifySignature(webhook.convertPublicKeyToECDSA(key), body, plain, `${NOW}`);
  const secret = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  for (const [text, made, checked] of [
    [body, plain, accepted],
    [JSON_BODY, signature, undefined],
  ]) {
    const headers = {
      "X-Twilio-Email-Event-Webhook-Signature": made,
      "X-Twilio-Email-Event-Webhook-Timestamp": `${NOW}`,
    };
    await vector("sendgrid", "@sendgrid/eventwebhook", {
      secret,
      target: path("sendgrid"),
      headers,
      body: text,
      accepted: checked,
    });
  }
}

// sns
{
  const folder = mkdtempSync(join(tmpdir(), "vectors-"));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = join(folder, "key.pem");
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const words = [
    "req",
    "-x509",
    "-new",
    "-key",
    key,
    "-subj",
    "/CN=sns.amazonaws.com",
    "-sha256",
    "-days",
    "36500",
  ];
  const pem = execFileSync("openssl", words).toString();
  rmSync(folder, { recursive: true });
  const place =
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";
  certificates[place] = pem;
  // The library fetches certificates itself; this one is nowhere but here.
  require("https").get = (address, call) => {
    if (address !== place) throw new Error(`an unexpected address: ${address}`);
    const response = Object.assign(new EventEmitter(), { statusCode: 200 });
    call(response);
    response.emit("data", pem);
    response.emit("end");
    return new EventEmitter();
  };
  const MessageValidator = require("sns-validator");
  const names = {
    Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
    SubscriptionConfirmation: [
      "Message",
      "MessageId",
      "SubscribeURL",
      "Timestamp",
      "Token",
      "TopicArn",
      "Type",
    ],
  };
  for (const [Type, SignatureVersion, extra] of [
    ["Notification", "1", { Subject: "Héllo" }],
    ["Notification", "2", {}],
    [
      "SubscriptionConfirmation",
      "1",
      { Token: "abc", SubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription" },
    ],
  ]) {
    const message = {
      Type,
      MessageId: "e1f2a232-e8ce-5f0a-b5d3-fbeb",
      TopicArn: "arn:aws:sns:eu-west-1:123456789012:test",
      ...extra,
      Message: 'line\nbreak "é"',
      Timestamp: new Date(NOW * 1000).toISOString(),
      SignatureVersion,
      SigningCertURL: place,
    };
    const text = names[Type].filter((name) => name in message)
      .map((name) => `${name}\n${message[name]}\n`)
      .join("");
    message.Signature = createSign(SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256")
      .update(text)
      .sign(privateKey, "base64");
    const accepted = new Promise((done, fail) =>
      new MessageValidator().validate({ ...message }, (error) => (error ? fail(error) : done(true))),
    );
    const headers = { "x-amz-sns-message-type": Type };
    await vector("sns", "sns-validator", {
      secret: "",
      target: path("sns"),
      headers,
      body: JSON.stringify(message, null, 2),
      accepted,
      type: "text/plain; charset=UTF-8",
    });
  }
}
