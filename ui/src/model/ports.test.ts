import { expect, test } from "vitest";
import type { ListeningPort } from "../api/types";
import { formFor, nameFor, programOf, speaksOf } from "./ports";

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
  expect(programOf(vite)).toBe("Vite (node)");
  expect(programOf({ ...vite, service: "nginx", process: "nginx" })).toBe("nginx");
  expect(programOf({ ...vite, service: null })).toBe("node");
  expect(programOf({ ...vite, service: null, process: null })).toBe("A program of another user");
});

test("what was not asked is not claimed", () => {
  expect(speaksOf({ ...vite, speaks: null })).toBe("Unknown protocol");
  expect(speaksOf({ ...vite, speaks: "https" })).toBe("HTTPS");
});

test("the tunnel fits what listens", () => {
  expect(formFor({ ...vite, proto: "tcp", target: "192.168.1.5:22" }, "ssh")).toMatchObject({
    kind: "tcp",
    addr: "192.168.1.5:22",
    name: "ssh",
  });
  expect(nameFor(vite)).toBe("vite");
  expect(nameFor({ ...vite, service: "Python http.server" })).toBe("python-http-server");
  expect(nameFor({ ...vite, service: "日本", process: null })).toBe("web");
});
