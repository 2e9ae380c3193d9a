// `npm run test:hosts`: run the real programs and compare what troupe sees with what the script dictated.
// TROUPE_LIVE_KIT: the folder of the recording kit. TROUPE_CLAUDE_BIN, TROUPE_OPENCODE_BIN: the programs (several of one:
// separated by the path delimiter).
import { ensureInstalled, run } from './ensure-installed.mjs';

if (!process.env.TROUPE_LIVE_KIT || !(process.env.TROUPE_CLAUDE_BIN || process.env.TROUPE_OPENCODE_BIN)) {
  console.error('test:hosts needs TROUPE_LIVE_KIT (the recording kit) and TROUPE_CLAUDE_BIN or TROUPE_OPENCODE_BIN.');
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
