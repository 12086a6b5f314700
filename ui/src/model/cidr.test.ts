import { expect, it } from "vitest";
import { readCidr, sizeOfNetwork } from "./cidr";

const network = (text: string) => {
  const read = readCidr(text);
  return "network" in read ? read.network : null;
};
const mistake = (text: string) => {
  const read = readCidr(text);
  return "mistake" in read ? read.mistake : null;
};

it("writes networks as the API stores them", () => {
  expect(network("10.0.0.0/8")).toBe("10.0.0.0/8");
  expect(network("203.0.113.7")).toBe("203.0.113.7/32");
  expect(network("2001:DB8:0:0::/32")).toBe("2001:db8::/32");
  expect(network("::1")).toBe("::1/128");
  expect(network("0.0.0.0/0")).toBe("0.0.0.0/0");
  expect(network("1:0:0:2:0:0:0:3")).toBe("1:0:0:2::3/128");
  expect(network(" 10.0.0.1 ")).toBe("10.0.0.1/32");
});

it("names the right network when bits stand behind the prefix", () => {
  expect(mistake("10.1.2.3/8")).toContain("10.0.0.0/8");
  expect(mistake("192.168.1.129/25")).toContain("192.168.1.128/25");
  expect(mistake("2001:db8::1/32")).toContain("2001:db8::/32");
});

it("refuses what is neither an address nor a network", () => {
  for (const text of [
    "",
    "10",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/",
    "::/129",
    "1::2::3",
    "fe80::1%eth0",
    "1:2:3:4:5:6:7",
    "a/b/c",
  ])
    expect(network(text), text).toBeNull();
});

it("says how large a network is", () => {
  expect(sizeOfNetwork("10.0.0.0/24")).toBe("256 addresses");
  expect(sizeOfNetwork("10.0.0.1/32")).toBe("one address");
  expect(sizeOfNetwork("2001:db8::/32")).toBe("2^96 addresses");
});
