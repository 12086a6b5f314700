// The guided first start: select a listening service, publish it, send a sample request, see it.
import { origin } from "../kit/app.mjs";
import { check, equal, until } from "../kit/wait.mjs";
import { picture } from "./publishing.mjs";

const button = (label) => `//button[normalize-space(.)='${label}']`;

export async function guidedStart(world) {
  const { app, driver, steps } = world;
  const service = await origin();
  const name = () => app.api("GET", "/api/configured").then(({ tunnels }) => tunnels[0]?.name);

  await steps.try("the window offers the listening services without connecting to them", async () => {
    await driver.switchTo("index.html");
    await driver.find(`//button[@aria-pressed][contains(., '${service.port}')][contains(., 'node')]`);
    equal(service.heard.length, 0, "requests to the service");
    await picture(world, "index.html", "Postern", "first-start");
  });

  await steps.try("a service is published with two clicks", async () => {
    await driver.click(`//button[@aria-pressed][contains(., '${service.port}')]`);
    await driver.find(`//button[@aria-pressed='true'][contains(., '${service.port}')][contains(., 'HTTP')]`);
    await driver.click(button("Publish"));
    await until("it has a public address", async () => (await app.tunnel(await name())).public_url);
  });

  await steps.try("a sample request arrives and is shown", async () => {
    await driver.click(button("Send a sample request"));
    await driver.find("//*[normalize-space(.)='The first request has arrived']");
    const requests = await until("it is captured", async () => {
      const { requests } = await app.api("GET", "/api/requests/http");
      return requests.length > 0 && requests;
    });
    check(service.heard.some(({ method, url }) => method === "GET" && url === "/"), "the service did not receive it");
    equal([requests.length, requests[0].request.uri], [1, "/"], "captured");
    await picture(world, "index.html", "Postern", "first-request");
    await driver.click(button("Done"));
  });

  await steps.must("everything can be removed again", async () => {
    for (const { name } of (await app.api("GET", "/api/configured")).tunnels) {
      await app.api("DELETE", `/api/configured/${encodeURIComponent(name)}`);
    }
    await app.api("DELETE", "/api/requests/http");
    service.close();
  });
}
