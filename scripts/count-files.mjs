// node scripts/count-files.mjs [CHECKOUT] [--list]: how many source files run for three jobs, by V8's coverage: a transcript line on its way to
// `troupe tree`, a hook call on its way to the audit log, a row of OpenCode on its way to an exported page. A file counts if one of its functions
// ran. `lib/` and the entry points are left out.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root as here } from './ensure-installed.mjs';
import { withoutSideEffects } from './without-side-effects.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const root = path.resolve(positionals[0] ?? here);
const { build } = await import('esbuild');
const scratch = mkdtempSync(path.join(tmpdir(), 'troupe-count-'));
const dist = path.join(scratch, 'dist');
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

await bundle(
  { troupe: 'src/main.ts' },
  { format: 'esm', splitting: true, external: Object.keys(dependencies), define: { BUILD_ID: '"count"' } },
);
// The hook loads its parts as scripts of their own, of which V8's coverage says nothing: here they are one file with it.
const parts = ['main', 'yaml', 'judge', 'hosts'];
await bundle([], {
  format: 'cjs',
  outfile: path.join(dist, 'hook.cjs'),
  outdir: undefined,
  define: { PRESET_RULES: '{}' },
  stdin: {
    resolveDir: path.join(root, 'src/hook'),
    contents: `${parts.map((name) => `import * as ${name} from './${name}.ts';`).join('')}
const parts = { ${parts} };
main.runHook({ load: (name) => parts[name], runProgram: (file) => import(file) }, () => {});`,
  },
});
for (const name of ['package.json', 'node_modules', 'demo']) linkFrom(name);
linkFrom('dist/single-page.html');

const JOBS = {
  'transcript line → tree': () => {
    putInHome('claude-code/fixtures/2.1.325-nested/projects', '.claude/projects');
    run('troupe.js', ['tree']);
  },
  'hook call → decision → audit': () => {
    const settings = path.join(scratch, 'home/.config/troupe');
    mkdirSync(settings, { recursive: true });
    writeFileSync(
      path.join(settings, 'policy.yaml'),
      'version: 1\nrules:\n  - { tools: ["Bash(git push:*)"], decision: deny }\n',
    );
    run('troupe.js', ['guard', 'check'], { isCounted: false });
    const payload = {
      session_id: '6a1de45d-db5d-4e00-9f70-5b78e72f57ee',
      transcript_path: path.join(scratch, 'none.jsonl'),
      cwd: scratch,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'cd src && git push --force' },
      tool_use_id: 'toolu_01',
    };
    const { stdout } = run('hook.cjs', ['guard', 'claude-code'], { input: JSON.stringify(payload) });
    if (!stdout.includes('deny')) throw new Error(`the hook did not deny the call: ${stdout}`);
    const { stdout: log } = run('troupe.js', ['guard', 'log', '--json']);
    if (!log.includes('toolu_01')) throw new Error('the call is not in the audit log');
  },
  'OpenCode row → export page': () => {
    putInHome('opencode/fixtures/1.18.33-background/opencode.db', '.local/share/opencode/opencode.db');
    run('troupe.js', ['export', '-y', '-f', 'html', '-o', path.join(scratch, 'pages')]);
  },
};

const rows = [];
for (const [name, job] of Object.entries(JOBS)) {
  for (const name of ['coverage', 'home']) rmSync(path.join(scratch, name), { recursive: true, force: true });
  job();
  const files = filesThatRan();
  rows.push([name, files.length]);
  if (values.list) console.log(`\n${name}\n${files.map((file) => `  ${file}`).join('\n')}`);
}
rmSync(scratch, { recursive: true, force: true });
console.log('\n| job | files that run |\n|---|---|');
for (const [name, count] of rows) console.log(`| ${name} | ${count} |`);

async function bundle(entryPoints, options) {
  await build({
    ...{ absWorkingDir: root, entryPoints, outdir: dist, bundle: true, platform: 'node', target: 'node20.19' },
    ...{ plugins: [withoutSideEffects], sourcemap: true, sourcesContent: false, logLevel: 'error', ...options },
  });
}

function linkFrom(name) {
  const [from, to] = [path.join(root, name), path.join(scratch, name)];
  if (!existsSync(from)) return;
  if (name === 'node_modules') spawnSync('ln', ['-s', from, to]);
  else cpSync(from, to, { recursive: true });
}

/** Where the host keeps it: a folder that is named with --root may belong to any host, so several look into it. */
function putInHome(recording, place) {
  cpSync(path.join(root, 'src/hosts', recording), path.join(scratch, 'home', place), { recursive: true });
}

function run(program, args, { input = '', isCounted = true } = {}) {
  const home = path.join(scratch, 'home');
  mkdirSync(home, { recursive: true });
  const { PATH } = process.env;
  const env = { PATH, HOME: home, ...(isCounted && { NODE_V8_COVERAGE: path.join(scratch, 'coverage') }) };
  const done = spawnSync(process.execPath, [path.join(dist, program), ...args], {
    input,
    env,
    cwd: scratch,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`troupe ${args.join(' ')}: ${done.stderr}`);
  return done;
}

/** Sources of functions that were called, relative to `src/`. */
function filesThatRan() {
  const found = new Set();
  const folder = path.join(scratch, 'coverage');
  for (const name of readdirSync(folder)) {
    for (const { url, functions } of JSON.parse(readFileSync(path.join(folder, name), 'utf8')).result) {
      if (!url.startsWith('file://') || !fileURLToPath(url).startsWith(dist)) continue;
      const script = fileURLToPath(url);
      const map = new SourceMap(JSON.parse(readFileSync(`${script}.map`, 'utf8')));
      const lineStarts = [0];
      for (const { index } of readFileSync(script, 'utf8').matchAll(/\n/g)) lineStarts.push(index + 1);
      for (const { ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        // The first function is the module itself.
        if (count === 0 || startOffset === 0) continue;
        const line = lineStarts.findLastIndex((start) => start <= startOffset);
        const { originalSource } = map.findEntry(line, startOffset - lineStarts[line]);
        if (originalSource === undefined) continue;
        const file = path.relative(path.join(root, 'src'), path.resolve(path.dirname(script), originalSource));
        if (!/^(?:\.\.|lib\/|main\.ts|hook\/(?:hook|main|judge|yaml)\.ts)/.test(file)) found.add(file);
      }
    }
  }
  return [...found].sort();
}
