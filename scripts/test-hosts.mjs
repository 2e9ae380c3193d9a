// `npm run test:hosts`: run the real programs and compare what troupe sees with what the script dictated.
// TROUPE_LIVE_KIT: the folder of the recording kit. TROUPE_<HOST>_BIN: the programs (several of one: separated by the path
// delimiter). Qwen Code needs Node 22, first in the PATH.
import { ensureInstalled, run } from './ensure-installed.mjs';

const HOSTS = ['CLAUDE', 'CODEX', 'OPENCODE', 'OPENCODE2', 'GEMINI', 'QWEN', 'COPILOT'];
const PROGRAMS = HOSTS.map((host) => `TROUPE_${host}_BIN`);
if (!process.env.TROUPE_LIVE_KIT || !PROGRAMS.some((name) => process.env[name])) {
  console.error(`test:hosts needs TROUPE_LIVE_KIT (the recording kit), and a program: ${PROGRAMS.join(', ')}.`);
  process.exit(2);
}
ensureInstalled();
await import('./build.mjs');
run(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.hosts.config.ts',
  ...process.argv.slice(2),
]);
