// Validates a HAR file against the schema of HAR 1.2: `node check.mjs FILE`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const validator = createRequire(import.meta.url)("har-validator");
const har = JSON.parse(readFileSync(process.argv[2], "utf8"));
try {
  await validator.har(har);
  for (const entry of har.log.entries) await validator.entry(entry);
} catch (error) {
  console.error(error.message, JSON.stringify(error.errors ?? [], null, 2));
  process.exit(1);
}
console.log(`   ${har.log.entries.length} entries are as the schema says`);
