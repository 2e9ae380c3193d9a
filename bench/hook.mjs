// What a hook costs its host: our commands as Claude Code runs them (through `sh -c`), beside the smallest program there is,
// an empty node and another guard. Alternating, so that the machine's moods hit all alike. usage: node bench/hook.mjs [RUNS]
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../scripts/ensure-installed.mjs';
import { fetchPackage } from './fetch-package.mjs';
import { removeFolder, stopProcess } from './processes.mjs';

const RUNS = 50;
/** Policies, from none to one that nobody would write by hand. */
const POLICIES = {
  none: null,
  '0 rules': rulesText(0),
  '1 rule': rulesText(1),
  '40 rules': rulesText(40),
  'three presets': 'version: 1\npresets: [no-secret-files, sub-agents-may-not-push, hands-off-the-guard]\n',
  // The last: the large call is judged under it, too.
  '1,000 rules': rulesText(1000),
};
const OTHER_GUARD = 'cc-safety-net@2.4.5';
const LIMITS = { overShellMs: 6, timesNode: 1.8, otherTimes: 10, lineOverShellMs: 8, lineTimesNode: 2 };

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
  cpSync(path.join(root, RECORDING), work, { recursive: true });
  const server = spawn(process.execPath, [path.join(root, 'dist/troupe.js'), '--no-open', '--root', work], {
    env: { ...env, TROUPE_HOME: served },
    stdio: 'ignore',
  });
  try {
    await until(() => existsSync(path.join(served, 'hook-address')));
    const other = fetchPackage(OTHER_GUARD, 'node_modules/cc-safety-net/dist/bin/cc-safety-net.js');
    const commands = {
      shell: ['sh', ['-c', ':']],
      node: [process.execPath, ['-e', '0']],
      observer: ['sh', ['-c', `'${stubs.alone.observe}' claude-code`]],
      served: ['sh', ['-c', `'${stubs.served.guard}' claude-code`]],
      alone: ['sh', ['-c', `'${stubs.alone.guard}' claude-code`]],
      ...(other && { other: ['sh', ['-c', `'${process.execPath}' '${other}' hook --claude-code`]] }),
    };
    // A folder that is there: the other guard denies everything elsewhere.
    const project = path.join(work, 'project');
    mkdirSync(path.join(project, 'src'), { recursive: true });
    writeSession(work, project);
    // As a host does, which works in its project.
    process.chdir(project);
    const command = commandIn(work, project);
    const rows = [];
    for (const [name, policy] of Object.entries(POLICIES)) {
      if (policy !== null) for (const state of [served, alone]) writeFileSync(path.join(state, 'policy.yaml'), policy);
      // The first calls after a change have the policy compiled; within two seconds nobody can be sure of a file's time.
      measure(commands, command, { env, runs: 1 });
      if (policy !== null) await sleep(2_500);
      measure(commands, command, { env, runs: 2 });
      rows.push({ name, times: measure(commands, command, { env, runs }) });
    }
    const large = measure(commands, payloadOf(work, project, 100), { env, runs });
    const budgets = await measureBudgets(commands, served, recordedCall(work, command), { env, runs });
    const line = await measureStatusLine(stubs, { env, runs });
    if (existsSync(path.join(served, 'hook-failure'))) throw new Error('the guard did not reach its server');
    return { rows, large, line, budgets, runs, load: loadavg()[0], other: other !== undefined };
  } finally {
    process.chdir(root);
    await stopProcess(server);
    await removeFolder(work);
  }
}

/** The same calls without and with ten budgets that are far from used up, in turns: what they cost a call that the server answers. */
async function measureBudgets({ served: command }, state, input, { env, runs }) {
  const policies = { without: rulesText(1), with: `${rulesText(1)}${BUDGETS}` };
  const least = { without: Number.POSITIVE_INFINITY, with: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < 4; turn++)
    for (const [name, policy] of Object.entries(policies)) {
      writeFileSync(path.join(state, 'policy.yaml'), policy);
      measure({ command }, input, { env, runs: 1 });
      await sleep(2_500);
      const times = measure({ command }, input, { env, runs: Math.ceil(runs / 2) });
      least[name] = Math.min(least[name], times.command);
    }
  return least.with - least.without;
}

/** By an agent of a session that the server follows. */
function recordedCall(work, input) {
  const transcript = path.join(work, 'projects/-home-dev-nested', `${RECORDED}.jsonl`);
  const who = { session_id: RECORDED, transcript_path: transcript, agent_id: 'a2ca437af9f568b24' };
  return JSON.stringify({ ...JSON.parse(input), ...who });
}

const BUDGETS = `budgets:
  - { name: b1, per: agent, tokens: 10M, turns: 1000 }
  - { name: b2, per: subtree, minutes: 9000 }
  - { name: b3, per: session, usd: 1000 }
  - { name: b4, per: session, tool_calls: 10000, spawns: 1000 }
  - { name: b5, per: session, agents_at_once: 60, depth: 30 }
  - { name: b6, per: day, usd: 1000, tokens: 900M }
  - { name: b7, per: day, turns: 100000 }
  - { name: b8, per: project, tokens: 900M }
  - { name: b9, agents: { kind: subagent }, per: agent, turns: 900 }
  - { name: b10, agents: { type: general-purpose }, per: session, tokens: 90M }
`;

/** What Claude Code runs for its status line, for a session that the server follows. */
async function measureStatusLine(stubs, { env, runs }) {
  const input = JSON.stringify({ session_id: RECORDED, cost: { total_cost_usd: 1.25 } });
  const commands = {
    shell: ['sh', ['-c', ':']],
    node: [process.execPath, ['-e', '0']],
    served: ['sh', ['-c', `'${stubs.served.statusLine}'`]],
    alone: ['sh', ['-c', `'${stubs.alone.statusLine}'`]],
  };
  const print = ([program, args]) => spawnSync(program, args, { input, env, encoding: 'utf8' }).stdout;
  await until(() => print(commands.served).includes('sub-agents'));
  if (!print(commands.alone).includes('$1.25')) throw new Error('without a server, the status line has no cost');
  return measure(commands, input, { env, runs, prints: true });
}

/** The minimum of each, in milliseconds. */
function measure(commands, input, { env, runs, prints = false }) {
  const least = Object.fromEntries(Object.keys(commands).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let run = 0; run < runs; run++) {
    for (const [name, [program, args]] of Object.entries(commands)) {
      const started = performance.now();
      const { status, stderr, stdout } = spawnSync(program, args, { input, env });
      least[name] = Math.min(least[name], performance.now() - started);
      if (status !== 0 || (!prints && `${stdout}${stderr}` !== ''))
        throw new Error(`${name}: ${status} ${stdout}${stderr}`);
    }
  }
  return least;
}

/** A call like those that Claude Code 2.1.325 tells, with a file of this size in it. */
function payloadOf(work, cwd, kilobytes) {
  return JSON.stringify({
    session_id: SESSION,
    transcript_path: transcriptIn(work),
    cwd,
    prompt_id: 'b04d83a0-7771-447d-93b3-d49e0bcfd415',
    permission_mode: 'default',
    agent_id: AGENT,
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

/** A session with sub-agents. */
const RECORDING = 'src/hosts/claude-code/fixtures/2.1.325-nested';
const RECORDED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

const SESSION = '8f6e5c34-0c5d-4f6c-9a60-5d6f8f3a2b11';
const AGENT = 'a1b2c3d4e5f60718';

const transcriptIn = (work) => path.join(work, '.claude/projects/-project', `${SESSION}.jsonl`);

/** What a host has written by then: the beginning of the transcript, and who the agent is. */
function writeSession(work, cwd) {
  const transcript = transcriptIn(work);
  const folder = path.join(transcript.replace('.jsonl', ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(transcript, `${JSON.stringify({ type: 'user', cwd, version: '2.1.325' })}\n`);
  writeFileSync(path.join(folder, `agent-${AGENT}.meta.json`), '{"agentType":"general-purpose","spawnDepth":1}');
}

function commandIn(work, cwd) {
  const command = 'cd src && git status --short | grep -v "^??" && npm run test -- --watch=false > /dev/null';
  return JSON.stringify({ ...JSON.parse(payloadOf(work, cwd, 0)), tool_name: 'Bash', tool_input: { command } });
}

/**
 * Every seventh is for the agent that calls, so that its command has to be taken apart; none is about this command: nothing
 * is printed.
 */
function rulesText(count) {
  const types = ['general-purpose', 'coder', 'tester', 'reviewer', 'planner', 'writer', 'Explore'];
  const rules = Array.from(
    { length: count },
    (_, at) => `  - { agents: { type: ${types[at % types.length]} }, tools: "Bash(tool-${at}:*)", decision: deny }`,
  );
  return count === 0 ? 'version: 1\n' : `version: 1\nrules:\n${rules.join('\n')}\n`;
}

async function writeStubs(work, state, options) {
  const outfile = path.join(work, 'hook-stubs.mjs');
  const entryPoints = [path.join(root, 'src/hook/hook-stubs.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' });
  const { writeHookStubs } = await import(outfile);
  return writeHookStubs(state, options);
}

async function until(isTrue) {
  for (let tries = 0; tries < 1_200; tries++) {
    if (isTrue()) return;
    await sleep(50);
  }
  throw new Error('the server did not start');
}

export function printHook({ rows, large, line: statusLine, budgets, runs, load, other }) {
  console.log(`\nhooks in front of a shell command: minimum of ${runs}, in ms (load ${load.toFixed(1)})`);
  console.log(
    '| policy | sh -c : | with server | over sh | node -e 0 | without server | × node | cc-safety-net | × ours |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  const line = (name, { shell, node, served, alone, other: theirs }) => {
    const [over, times] = [served - shell, alone / node];
    const cells = [
      name,
      shell.toFixed(2),
      served.toFixed(2),
      `+${over.toFixed(2)}${over > LIMITS.overShellMs ? ' ✗' : ''}`,
      node.toFixed(2),
      alone.toFixed(2),
      `${times.toFixed(2)}${times > LIMITS.timesNode ? ' ✗' : ''}`,
      ...(theirs === undefined
        ? ['not to be had', '–']
        : [theirs.toFixed(2), `${(theirs / served).toFixed(1)}${theirs < served * LIMITS.otherTimes ? ' ✗' : ''}`]),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  };
  for (const { name, times } of rows) line(name, times);
  line('a file of 100 KB, 1,000 rules', large);
  const observer = Math.min(...rows.map(({ times }) => times.observer - times.shell));
  console.log(`an observer: +${observer.toFixed(2)} over sh -c :`);
  const { overShellMs, timesNode, otherTimes, lineOverShellMs, lineTimesNode } = LIMITS;
  console.log(`ten budgets: +${budgets.toFixed(2)} ms with a server (at most 1)${budgets > 1 ? ' ✗' : ''}`);
  const [over, times] = [statusLine.served - statusLine.shell, statusLine.alone / statusLine.node];
  console.log(
    `the status line: +${over.toFixed(2)} ms over sh -c : with a server (at most ${lineOverShellMs})${over > lineOverShellMs ? ' ✗' : ''}, ${times.toFixed(2)} × node -e 0 without (at most ${lineTimesNode})${times > lineTimesNode ? ' ✗' : ''}`,
  );
  const guard = other ? `; ${OTHER_GUARD} at least ${otherTimes} times slower than ours with a server` : '';
  console.log(`to hold (✗: it does not): at most ${overShellMs} ms over sh -c :, ${timesNode} times node -e 0${guard}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  printHook(await benchHook({ runs: Number(process.argv[2]) || RUNS }));
