// What a hook costs its host: our commands as Claude Code runs them (through `sh -c`), beside the smallest program there is
// and an empty node. Alternating, so that the machine's moods hit all alike. usage: node bench/hook.mjs
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../scripts/ensure-installed.mjs';

const RUNS = 50;
const KILOBYTES = [2, 100];
/** Policies, from none to one that nobody would write by hand. */
const RULES = [0, 1, 40, 1000];

export async function benchHook({ runs = RUNS } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-hook-'));
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...clean } = process.env;
  const env = { ...clean, HOME: work };
  const [served, alone] = [path.join(work, 'served'), path.join(work, 'alone')];
  // The one that is served has no node to go to: where it had to, it leaves a note.
  const stubs = {
    served: await writeStubs(work, served, { node: '/nowhere/node', hookFile: '/nowhere/hook.cjs' }),
    alone: await writeStubs(work, alone, { node: process.execPath, hookFile: path.join(root, 'dist/hook.cjs') }),
  };
  const server = spawn(process.execPath, [path.join(root, 'dist/troupe.js'), '--no-open', '--root', work], {
    env: { ...env, TROUPE_HOME: served },
    stdio: 'ignore',
  });
  try {
    await until(() => existsSync(path.join(served, 'hook-address')));
    const commands = {
      'sh -c true': ['sh', ['-c', 'true']],
      'node -e 0': [process.execPath, ['-e', '0']],
      observer: ['sh', ['-c', `'${stubs.alone.observe}' claude-code`]],
      'guard, with server': ['sh', ['-c', `'${stubs.served.guard}' claude-code`]],
      'guard, without server': ['sh', ['-c', `'${stubs.alone.guard}' claude-code`]],
    };
    const tables = KILOBYTES.map((kilobytes) => ({
      title: `a payload of ${kilobytes} KB, no policy`,
      rows: measure(commands, payloadOf(kilobytes), { env, runs }),
    }));
    const { observer: _observer, ...guards } = commands;
    for (const rules of RULES) {
      for (const state of [served, alone]) writePolicy(state, rules);
      // The first call after a change has the policy compiled.
      measure(guards, COMMAND, { env, runs: 1 });
      tables.push({ title: `a shell command, ${rules} rules`, rows: measure(guards, COMMAND, { env, runs }) });
    }
    if (existsSync(path.join(served, 'hook-failure'))) throw new Error('the guard did not reach its server');
    return tables;
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(work, { recursive: true, force: true });
  }
}

/** Minimum and median of each, in milliseconds. */
function measure(commands, input, { env, runs }) {
  const taken = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, [program, args]] of Object.entries(commands)) {
      const started = performance.now();
      const { status, stderr, stdout } = spawnSync(program, args, { input, env });
      taken[name].push(performance.now() - started);
      if (status !== 0 || `${stdout}${stderr}` !== '') throw new Error(`${name}: ${status} ${stdout}${stderr}`);
    }
  }
  return Object.entries(taken).map(([name, times]) => {
    const sorted = times.toSorted((a, b) => a - b);
    return { name, min: sorted[0], median: sorted[Math.floor(sorted.length / 2)] };
  });
}

/** A call like those that Claude Code 2.1.325 tells, with a file of this size in it. */
function payloadOf(kilobytes) {
  return JSON.stringify({
    session_id: '8f6e5c34-0c5d-4f6c-9a60-5d6f8f3a2b11',
    transcript_path: '/home/dev/.claude/projects/-home-dev-shop/8f6e5c34-0c5d-4f6c-9a60-5d6f8f3a2b11.jsonl',
    cwd: '/home/dev/shop',
    permission_mode: 'default',
    agent_id: 'a1b2c3d4e5f60718',
    agent_type: 'general-purpose',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: {
      file_path: '/home/dev/shop/src/cart.ts',
      content: 'const total = sum(items); // «€»\n'.repeat(kilobytes * 25),
    },
    tool_use_id: 'toolu_01A09q90qw90lq917835lq9',
  });
}

const COMMAND = JSON.stringify({
  ...JSON.parse(payloadOf(0)),
  tool_name: 'Bash',
  tool_input: { command: 'cd src && git status --short | grep -v "^??" && npm run test -- --watch=false > /dev/null' },
});

/** None of them is about this command: nothing is printed, and all of them are looked at. */
function writePolicy(state, count) {
  const rules = Array.from(
    { length: count },
    (_, at) => `  - { agents: { type: type-${at % 7} }, tools: "Bash(tool-${at}:*)", decision: deny }`,
  );
  const text = count === 0 ? 'version: 1\n' : `version: 1\nrules:\n${rules.join('\n')}\n`;
  writeFileSync(path.join(state, 'policy.yaml'), text);
}

async function writeStubs(work, state, options) {
  const outfile = path.join(work, 'hook-stubs.mjs');
  const entryPoints = [path.join(root, 'src/daemon/hook-stubs.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' });
  const { writeHookStubs } = await import(outfile);
  return writeHookStubs(state, options);
}

async function until(isTrue) {
  for (let tries = 0; tries < 300; tries++) {
    if (isTrue()) return;
    await sleep(50);
  }
  throw new Error('the server did not start');
}

export function printHook(tables) {
  for (const { title, rows } of tables) {
    const [shell, node] = rows;
    console.log(`\nhooks, ${title}: minimum and median of ${RUNS}, in ms`);
    console.log('| | min | median | over sh -c true | × node -e 0 |\n|---|---|---|---|---|');
    for (const { name, min, median } of rows) {
      const [over, ratio] = [min - shell.min, min / node.min];
      console.log(`| ${name} | ${min.toFixed(2)} | ${median.toFixed(2)} | +${over.toFixed(2)} | ${ratio.toFixed(2)} |`);
    }
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) printHook(await benchHook());
