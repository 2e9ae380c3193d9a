// `npm start`: install, build, and show the newest session of this machine, or the demo recording where there is none.
import { ensureInstalled, run } from './ensure-installed.mjs';

ensureInstalled();
await import('./build.mjs');
run(process.execPath, ['dist/troupe.js', 'tree', '--or-demo', ...process.argv.slice(2)]);
