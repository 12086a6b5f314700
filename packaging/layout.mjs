// Says the bundler where everything lies that is not the app itself: printed as configuration laid over tauri.conf.json.
//
//   node packaging/layout.mjs <folder with programs/, man/, completions/ and units/> <folder of the stripped programs>
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const staged = path.resolve(process.argv[2]);
const files = {};
const place = (folder, at, wanted = () => true) => {
  for (const name of fs.readdirSync(path.join(staged, folder)).filter(wanted)) {
    files[`${at}/${name}`] = path.join(staged, folder, name);
  }
};
place("man", "/usr/share/man/man1");
place("completions", "/usr/share/bash-completion/completions", (name) => !/^_|\.fish$/.test(name));
place("completions", "/usr/share/zsh/vendor-completions", (name) => name.startsWith("_"));
place("completions", "/usr/share/fish/vendor_completions.d", (name) => name.endsWith(".fish"));
place("units", "/usr/lib/systemd/system");
files["/usr/lib/sysusers.d/postern.conf"] = path.resolve("packaging/sysusers.conf");
files["/usr/share/postern/server.yml"] = path.resolve("packaging/server.yml");
files["/usr/share/doc/postern/README.md"] = path.resolve("README.md");
files["/usr/share/doc/postern/copyright"] = path.resolve("packaging/copyright");

const programs = ["postern-server", "postern"].map((name) => path.join(staged, "programs", name));
const scripts = {
  postInstallScript: path.resolve("packaging/postinst"),
  preRemoveScript: path.resolve("packaging/prerm"),
  postRemoveScript: path.resolve("packaging/postrm"),
};

// Versions of the C library that the programs name: those of their symbols, and one for packed relocations.
const versions = fs.readdirSync(process.argv[3]).flatMap((name) => {
  const program = path.join(process.argv[3], name);
  const needs = execFileSync("readelf", ["--version-info", "--wide", program], { encoding: "utf8" }).split("File: ");
  const ofLibrary = needs.find((library) => library.startsWith("libc.so.6")) ?? "";
  return [...ofLibrary.matchAll(/Name: (GLIBC_\S+)/g)].map(([, version]) => version);
});
const ofSymbols = Math.max(...versions.map((version) => Number(/^GLIBC_2\.(\d+)/.exec(version)?.[1] ?? 0)));
const ofRelocations = versions.includes("GLIBC_ABI_DT_RELR") ? 36 : 0;

// A list that is laid over replaces the one of the configuration.
const { deb, rpm } = JSON.parse(fs.readFileSync("tauri.conf.json", "utf8")).bundle.linux;
const libraries = [`libc.so.6(GLIBC_2.${ofSymbols})(64bit)`, ...(ofRelocations ? ["libc.so.6(GLIBC_ABI_DT_RELR)(64bit)"] : [])];
const linux = {
  deb: { files, ...scripts, depends: [...deb.depends, `libc6 (>= 2.${Math.max(ofSymbols, ofRelocations)})`] },
  rpm: { files, ...scripts, depends: [...rpm.depends, ...libraries] },
};
console.log(JSON.stringify({ bundle: { externalBin: programs, linux } }, null, 2));
