// `npm test`: install, build, run every test. Arguments go to vitest: `npm test -- src/model`.
import { ensureInstalled, run } from './ensure-installed.mjs';

ensureInstalled();
await import('./build.mjs');
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
