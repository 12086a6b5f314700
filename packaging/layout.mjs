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

// Versions of the C library that the programs need, for each of its files, as rpm writes them.
const needed = new Set();
for (const name of fs.readdirSync(process.argv[3])) {
  const versions = execFileSync("readelf", ["--version-info", "--wide", path.join(process.argv[3], name)], { encoding: "utf8" });
  for (const library of versions.split("File: ")) {
    const file = library.split(" ", 1)[0];
    for (const [, version] of library.matchAll(/Name: (GLIBC_\S+)/g)) needed.add(`${file}(${version})(64bit)`);
  }
}
// Packed relocations have a version of their own, which came with 2.36.
const numbers = [...needed].map((one) => one.replace("GLIBC_ABI_DT_RELR", "GLIBC_2.36").match(/GLIBC_2\.(\d+)/)?.[1]);
const minor = Math.max(...numbers.map((number) => Number(number ?? 0)));

// A list that is laid over replaces the one of the configuration.
const { deb, rpm } = JSON.parse(fs.readFileSync("tauri.conf.json", "utf8")).bundle.linux;
const linux = {
  deb: { files, ...scripts, depends: [...deb.depends, `libc6 (>= 2.${minor})`] },
  rpm: { files, ...scripts, depends: [...rpm.depends, ...needed] },
};
console.log(JSON.stringify({ bundle: { externalBin: programs, linux } }, null, 2));
