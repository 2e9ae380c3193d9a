// Only watches a folder, in a process of its own, with our watcher or with chokidar, and tells what it heard and when.
import path from 'node:path';
import { root } from '../scripts/ensure-installed.mjs';

const [which, folder] = process.argv.slice(2);
const heard = [];
const hear = (file) => heard.push([file, performance.timeOrigin + performance.now()]);
const begin = performance.now();
if (which === 'chokidar') {
  const { watch } = await import('chokidar');
  const watcher = watch(folder, { ignoreInitial: true });
  watcher.on('change', hear).on('add', hear);
  await new Promise((resolve) => watcher.once('ready', resolve));
} else {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'src/lib/watch-folders.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  const { FolderWatch } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  const watch = new FolderWatch(folder, { onChange: hear });
  await watch.ready;
  setInterval(() => watch.sweep(), 20_000);
}
process.send({ readyMs: performance.now() - begin });
process.once('message', () => process.send({ heard }));
