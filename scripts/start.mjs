// `npm start`: install, build, and serve the live page of this machine, or of the demo recording where there is nothing.
import { ensureInstalled } from './ensure-installed.mjs';

ensureInstalled();
await import('./build.mjs');
process.argv.splice(2, 0, '--or-demo');
// In this very process: what ends it ends the server.
await import('../dist/troupe.js');
