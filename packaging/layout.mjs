// Says the bundler where everything lies that is not the app itself: printed as configuration laid over tauri.conf.json.
//
//   node packaging/layout.mjs <folder with programs/, man/, completions/ and units/>
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
const linux = { deb: { files, ...scripts }, rpm: { files, ...scripts } };
console.log(JSON.stringify({ bundle: { externalBin: programs, linux } }, null, 2));
