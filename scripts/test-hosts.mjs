// `npm run test:hosts`: run the real programs and compare what troupe sees with what the script dictated.
// TROUPE_LIVE_KIT: the folder of the recording kit. TROUPE_CLAUDE_BIN, TROUPE_CODEX_BIN, TROUPE_COPILOT_BIN: the programs (several
// of one: separated by the path delimiter).
import { ensureInstalled, run } from './ensure-installed.mjs';

const PROGRAMS = ['TROUPE_CLAUDE_BIN', 'TROUPE_CODEX_BIN', 'TROUPE_COPILOT_BIN'];

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
