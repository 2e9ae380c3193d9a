// Writes an export of so many pages into a folder, each page telling which edition it is of. May be killed at any time.
import { readFileSync } from 'node:fs';
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
  try {
    const text = readFileSync(`${folder}/agent-${page}.html`, 'utf8');
    if (text.startsWith(`edition ${edition} `)) process.kill(process.pid, 'SIGKILL');
  } catch {
    // Not there yet.
  }
  setImmediate(endBehind, page).unref();
}
