// Makes vectors.json: webhooks signed by the providers' own libraries, or signed here and accepted by them.
// Run `npm install --ignore-scripts && npm run make` after a library or a case has changed, and commit the result.

import "./bodies.mjs";
import "./addresses.mjs";
import "./keys.mjs";
import { NOW, certificates, vectors } from "./kit.mjs";

console.log(JSON.stringify({ second: NOW, certificates, vectors }, null, 2));
