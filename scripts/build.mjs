// Bundles the command line tool and the library, builds the page, and writes the library's types. What the tool needs to run
// stays outside: npm installs it. What pages are drawn with (Markdown, colours of code) is inside, as far as it is used:
// highlight.js alone would be nine megabytes of install.
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buildSinglePage } from './build-single-page.mjs';
import { ensureInstalled, root, run } from './ensure-installed.mjs';
import { withoutSideEffects } from './without-side-effects.mjs';

ensureInstalled();
const { build } = await import('esbuild');
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

rmSync(`${root}dist`, { recursive: true, force: true });
// What the index keeps of a session holds for the code that read it.
const sources = createHash('sha256');
for (const file of readdirSync(`${root}src`, { recursive: true }).sort())
  if (/^(?:core|hosts|lib|sessions|history)\b.*(?<!\.test)\.ts$/.test(file))
    sources.update(readFileSync(`${root}src/${file}`));
await build({
  absWorkingDir: root,
  entryPoints: {
    troupe: 'src/main.ts',
    index: 'src/index.ts',
    'export-process': 'src/export/export-process.ts',
    'export-worker': 'src/export/export-worker.ts',
    'index-thread': 'src/history/index-thread.ts',
    'search-process': 'src/server/search-process.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: Object.keys(dependencies),
  plugins: [withoutSideEffects],
  sourcemap: 'linked',
  sourcesContent: false,
  define: { BUILD_ID: JSON.stringify(sources.digest('hex').slice(0, 16)) },
  logLevel: 'warning',
});
// `import path` makes each file that does so a copy of it, property by property: a hook feels thirteen of them.
const onePath = {
  name: 'one-path',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:path$/ }, ({ path, namespace }) =>
      namespace === 'one-path' ? { path, external: true } : { path, namespace: 'one-path' },
    );
    onLoad({ filter: /./, namespace: 'one-path' }, () => ({ contents: 'export default require("node:path");' }));
  },
};
// What a hook starts: one file, so that nothing is looked for, and CommonJS, which node has ready earlier.
const forHooks = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  plugins: [withoutSideEffects, onePath],
  logLevel: 'warning',
};
// What it loads where it is needed, known by its digest: node keeps the machine code of it.
const presets = await build({ ...forHooks, entryPoints: ['src/hook/presets.ts'], write: false });
const presetModule = { exports: {} };
new Function('module', 'exports', 'require', presets.outputFiles[0].text)(
  presetModule,
  presetModule.exports,
  createRequire(import.meta.url),
);
const buildPart = async (name) => {
  const outfile = `dist/hook-${name}.cjs`;
  const define = { PRESET_RULES: JSON.stringify(presetModule.exports.presets) };
  // lib/load-compiled.ts runs it as it is.
  const wrapper = { banner: { js: '(function (exports, require, module) {' }, footer: { js: '})' } };
  await build({ ...forHooks, ...wrapper, entryPoints: [`src/hook/${name}.ts`], outfile, define });
  const bytes = readFileSync(`${root}${outfile}`);
  if (!isAscii(bytes)) throw new Error(`${outfile} is not plain ASCII`);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
};
const digests = {};
for (const name of ['main', 'yaml', 'judge', 'hosts']) digests[name] = await buildPart(name);
await build({
  ...forHooks,
  entryPoints: ['src/hook/hook.ts'],
  outfile: 'dist/hook.cjs',
  define: { PART_DIGESTS: JSON.stringify(digests) },
});
writeFileSync(`${root}dist/troupe.js`, `#!/usr/bin/env node\n${readFileSync(`${root}dist/troupe.js`, 'utf8')}`);
chmodSync(`${root}dist/troupe.js`, 0o755);
run(process.execPath, [
  'node_modules/vite/bin/vite.js',
  'build',
  '--config',
  'web/vite.config.ts',
  '--logLevel',
  'warn',
]);
await buildSinglePage(build, withoutSideEffects);
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json']);
// The compiler leaves the endings of our sources in the declarations; others resolve what is there.
for (const file of readdirSync(`${root}dist/types`, { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue;
  const place = `${root}dist/types/${file}`;
  writeFileSync(place, readFileSync(place, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
