// A part of `npm run fuzz`: runs commands that `Bash(ls:*)` allows, and looks at every program that they start.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './ensure-installed.mjs';

export const NAME = 'guard/strace';
const COMMANDS = 20_000;
const BATCH = 1_000;

/** Each command in a shell of its own; what a command prints and reads is thrown away. */
const DRIVER = `while IFS= read -r -d '' command <&3; do ( eval "$command" ) < /dev/null > /dev/null 2>&1 3<&-; done 3< "$1"`;

/** Says what failed; null: nothing but ls ran. */
export async function fuzzWithStrace(seed, wanted = COMMANDS) {
  if (spawnSync('strace', ['-V']).error)
    return 'strace is not installed, so no command could be watched. Install it (apt-get install strace), or leave this part out by naming others.';
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-fuzz-strace-'));
  try {
    const { commands, compound, drawn } = await draw(seed, wanted, work);
    console.log(
      `fuzz: ${NAME}: ${commands.length} allowed of ${drawn} commands, ${compound} with expansions, redirections or lists`,
    );
    if (commands.length < wanted || compound < wanted / 2) return 'too few commands of the generator are allowed';
    for (let at = 0; at < commands.length; at += BATCH) {
      const batch = commands.slice(at, at + BATCH);
      const strangers = runBatch(batch, work);
      if (strangers.length === 0) continue;
      const culprits = findCulprits(batch, work);
      return ['a command that Bash(ls:*) allows runs something else:', ...(culprits.length > 0 ? culprits : strangers)]
        .slice(0, 20)
        .join('\n  ');
    }
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function draw(seed, wanted, work) {
  const { build } = await import('esbuild');
  const outfile = path.join(root, 'node_modules', `.fuzz-ls-${process.pid}.mjs`);
  try {
    await build({
      entryPoints: [path.join(root, 'src/guard/testing/fuzz-ls.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['fast-check'],
      outfile,
      logLevel: 'error',
    });
    const { drawAllowed } = await import(pathToFileURL(outfile).href);
    mkdirSync(path.join(work, 'src'));
    for (const file of ['a', 'b c', 'src/x.ts', 'src/a']) writeFileSync(path.join(work, file), file);
    return drawAllowed(seed, wanted);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** The first commands of a batch that start something else, found by halving it. */
function findCulprits(commands, work) {
  const lines = runBatch(commands, work);
  if (lines.length === 0) return [];
  if (commands.length === 1) return lines.map((line) => `${JSON.stringify(commands[0])}: ${line}`);
  const middle = commands.length >> 1;
  const first = findCulprits(commands.slice(0, middle), work);
  return first.length > 0 ? first : findCulprits(commands.slice(middle), work);
}

/** Lines of strace about programs other than ls and the shell. */
function runBatch(commands, work) {
  const log = path.join(work, '.strace');
  const list = path.join(work, '.commands');
  writeFileSync(list, commands.map((command) => `${command}\0`).join(''));
  const { error, status, stderr } = spawnSync(
    'strace',
    [
      '-f',
      '--seccomp-bpf',
      '-qq',
      '-e',
      'trace=execve',
      '-o',
      log,
      'bash',
      '--norc',
      '--noprofile',
      '-c',
      DRIVER,
      'bash',
      list,
    ],
    {
      cwd: work,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: work },
      encoding: 'utf8',
      timeout: 600_000,
    },
  );
  if (error) throw error;
  const lines = readFileSync(log, 'utf8').split('\n');
  if (!lines.some((line) => /execve\("[^"]*\/ls"/.test(line)) && commands.length > 1)
    throw new Error(`strace saw no ls (status ${status}): ${stderr}`);
  return lines.filter((line) => /execve\("/.test(line) && !/execve\("(?:[^"]*\/)?(?:ls|bash)"/.test(line));
}
