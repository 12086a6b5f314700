import { expect, test } from "vitest";
import type { ListeningPort } from "../api/types";
import { formFor, tunnelNameFor, programLabel, protocolLabel } from "./ports";

const vite: ListeningPort = {
  port: 5173,
  address: "127.0.0.1:5173",
  target: "5173",
  proto: "http",
  speaks: "http",
  process: "node",
  pid: 7,
  service: "Vite",
};

test("a program is called what people call it", () => {
  expect(programLabel(vite)).toBe("Vite (node)");
  expect(programLabel({ ...vite, service: "nginx", process: "nginx" })).toBe("nginx");
  expect(programLabel({ ...vite, service: null })).toBe("node");
  expect(programLabel({ ...vite, service: null, process: null })).toBe("A program of another user");
});

test("what was not asked is not claimed", () => {
  expect(protocolLabel({ ...vite, speaks: null })).toBe("Unknown protocol");
  expect(protocolLabel({ ...vite, speaks: "https" })).toBe("HTTPS");
});

test("the tunnel fits what listens", () => {
  expect(formFor({ ...vite, proto: "tcp", target: "192.168.1.5:22" }, "ssh")).toMatchObject({
    kind: "tcp",
    addr: "192.168.1.5:22",
    name: "ssh",
  });
  expect(tunnelNameFor(vite)).toBe("vite");
  expect(tunnelNameFor({ ...vite, service: "Python http.server" })).toBe("python-http-server");
  expect(tunnelNameFor({ ...vite, service: "日本", process: null })).toBe("web");
});
