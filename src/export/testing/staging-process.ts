// Writes an export of so many pages into a folder, each page telling which edition it is of. May be killed at any time.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { stageFolder } from '../staged-folder.ts';

const [folder = '', edition = '', pages = '0', lastPage] = process.argv.slice(2);
if (lastPage !== undefined) endBehind(Number(lastPage));
const staged = await stageFolder(folder, { force: false });
try {
  for (let page = 1; page <= Number(pages); page++) {
    await staged.write(`agent-${page}.html`, [`edition ${edition} page ${page}\n`, 'x'.repeat(20_000), '\nend\n']);
  }
  await staged.write('index.html', [`edition ${edition} of ${pages} pages\n`]);
  await staged.publish();
} finally {
  await staged.close();
}

/** Kills itself, as nobody can prevent, as soon as that page is in its place. */
function endBehind(page: number): void {
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    const isIt = String(to).endsWith(`/agent-${page}.html`);
    // The pages of an earlier run may be brought in first.
    if (isIt && fs.readFileSync(to, 'utf8').startsWith(`edition ${edition} `)) process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
}
