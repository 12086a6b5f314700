// The published Node SDK, unmodified: a smoke test of creating, reading, listing, changing, deleting and of its errors.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { Ngrok } = createRequire(import.meta.url)("@ngrok/ngrok-api");
const api = new Ngrok({ apiToken: process.env.POSTERN_API_KEY, baseUrl: process.env.POSTERN_API_URL });

await step("ip_policies", async () => {
  const policy = await api.ipPolicies.create({ description: "made by node", metadata: "m" });
  assert.match(policy.id, /^ipp_/);
  assert.match(policy.uri, new RegExp(`/ip_policies/${policy.id}$`));
  assert.deepEqual(await api.ipPolicies.get(policy.id), policy);
  const changed = await api.ipPolicies.update({ id: policy.id, description: "changed" });
  assert.deepEqual(changed, { ...policy, description: "changed" });
  assert.deepEqual((await api.ipPolicies.list()).map((one) => one.id), [policy.id]);
  await deleted(() => api.ipPolicies.delete(policy.id));
  await gone(() => api.ipPolicies.get(policy.id));
  return "created, read, changed, listed, deleted, gone";
});

await step("edges/tcp", async () => {
  const policy = await api.ipPolicies.create({});
  const group = await api.backends.tunnelGroupBackends.create({ labels: { app: "node" } });
  const edge = await api.edges.edgesTcp.create({
    backend: { enabled: true, backendId: group.id },
    ipRestriction: { ipPolicyIds: [policy.id] },
  });
  assert.equal(edge.backend.backend.id, group.id);
  assert.deepEqual(edge.ipRestriction.ipPolicies.map((one) => one.id), [policy.id]);
  const off = await api.edgeModules.tcpEdgeBackendModule.replace({
    id: edge.id,
    module: { enabled: false, backendId: group.id },
  });
  assert.equal(off.enabled, false);
  assert.deepEqual(await api.edgeModules.tcpEdgeBackendModule.get(edge.id), off);
  await deleted(() => api.edgeModules.tcpEdgeBackendModule.delete(edge.id));
  await gone(() => api.edgeModules.tcpEdgeBackendModule.get(edge.id));
  assert.equal((await api.edges.edgesTcp.get(edge.id)).backend, null);
  await deleted(() => api.edges.edgesTcp.delete(edge.id));
  return "created with modules, module put, read, deleted, gone";
});

await step("credentials", async () => {
  const created = await api.credentials.create({ acl: ["bind:*.clients.test"] });
  assert.ok(created.token, "the token is shown once");
  assert.deepEqual(await api.credentials.get(created.id), { ...created, token: null });
  return "the token is in the first answer alone";
});

await step("errors", async () => {
  const refused = await rejection(() => api.ipPolicies.create({ description: "x".repeat(256) }));
  assert.equal(refused.statusCode, 400);
  assert.match(refused.errorCode, /^ERR_POSTERN_\d+$/);
  assert.ok(refused.details.get("operation_id") ?? refused.details.get("operationId"), "an error names its operation");
  return "an SDK error with code, status and operation";
});

async function step(name, run) {
  try {
    console.log(`ok   ${name}: ${await run()}`);
  } catch (error) {
    console.log(`FAIL ${name}: ${error.stack ?? JSON.stringify(error)}`);
    process.exitCode = 1;
  }
}

// The SDK expects JSON in the empty body of a 204 and rejects; the record is deleted nevertheless.
async function deleted(call) {
  const complaint = await rejection(call);
  assert.match(String(complaint.message ?? complaint), /JSON/, "the SDK's own complaint about an empty body");
}

async function gone(call) {
  const refused = await rejection(call);
  assert.equal(refused.statusCode, 404, JSON.stringify(refused));
  assert.match(refused.errorCode, /^ERR_POSTERN_\d+$/);
}

async function rejection(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "the SDK was expected to reject" });
}
