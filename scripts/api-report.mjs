// docs/library-api.txt: everything that `import … from 'troupe'` promises. `npm run check` compares it with what was built, so
// that no change of the library goes unseen. Write it anew with: node scripts/api-report.mjs --write
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

const PUBLIC = ['index', 'control/session-chunk', 'core/reports/shapes', 'core/transcript', 'lib/user-error'];
const report = PUBLIC.map((name) => `// ${name}\n${readFileSync(`${root}dist/types/${name}.d.ts`, 'utf8')}`).join('\n');
const file = `${root}docs/library-api.txt`;
if (process.argv.includes('--write')) writeFileSync(file, report);
else if (readFileSync(file, 'utf8') !== report) {
  console.error(
    'The public types changed. If that is meant: node scripts/api-report.mjs --write, and say so in CHANGELOG.md.',
  );
  process.exitCode = 1;
}
