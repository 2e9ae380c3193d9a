// What people wait for, and what it takes, as a ratio to something simple that runs beside it. `budgets.json` has the limits.
// npm run bench -- --check            fails if a limit is exceeded
// npm run bench -- --against DIR      measures another build (a built checkout) in the same run, alternating
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { chromium } from 'playwright-core';
import { root } from '../scripts/ensure-installed.mjs';
import { findBrowser } from '../scripts/find-browser.mjs';
import { writeCorpus } from './corpus.mjs';
import { writeSessions } from './live-corpus.mjs';
import { createLink, startServer } from './live-server.mjs';
import { removeFolder } from './processes.mjs';

const BUDGETS = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));
const RUNS = 10;
const MEGABYTES = 20;

export async function benchBudgets({ against, only } = {}) {
  const builds = [root, ...(against === undefined ? [] : [path.resolve(against)])];
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-budgets-'));
  try {
    const data = { many: path.join(work, 'many'), one: path.join(work, 'one') };
    writeCorpus(data.many, { megabytes: MEGABYTES, sessionMegabytes: 1, agentsPerSession: 4 });
    writeCorpus(data.one, { megabytes: MEGABYTES, sessionMegabytes: MEGABYTES, agentsPerSession: 40 });
    const measured = { ...(await measureCommands(builds, data, work)), ...(await measureHooks(builds, work)) };
    Object.assign(measured, await measurePage(builds, work));
    return BUDGETS.filter(({ name }) => only === undefined || name.includes(only)).map((budget) => ({
      ...budget,
      ratios: measured[budget.name],
    }));
  } finally {
    await removeFolder(work);
  }
}

/** Time and peak memory of commands, beside a program that parses each line of the same files. */
async function measureCommands(builds, data, work) {
  const parse = (folder) => ({ program: ['--input-type=module', '-e', PARSE_ALL, '-', folder], key: folder });
  const troupe = (build, args) => ({ program: [path.join(build, 'dist/troupe.js'), ...args], build });
  const jobs = {
    ls: [data.many, (build) => troupe(build, ['ls', '--json', '-n', '1000', '--root', data.many])],
    tree: [data.one, (build) => troupe(build, ['tree', '--json', '--root', data.one])],
    export: [
      data.one,
      (build, run) =>
        troupe(build, ['export', '-y', '-f', 'html', '--root', data.one, '-o', path.join(work, `out-${run}`)]),
    ],
  };
  const results = {};
  for (const [name, [folder, job]] of Object.entries(jobs)) {
    const base = { ms: Number.POSITIVE_INFINITY, kilobytes: Number.POSITIVE_INFINITY };
    const ours = builds.map(() => ({ ...base }));
    for (let run = 0; run < RUNS; run++) {
      keepLeast(base, time(parse(folder).program, work));
      for (const [at, build] of builds.entries()) {
        keepLeast(ours[at], time(job(build, `${name}-${run}-${at}`).program, work));
      }
    }
    results[name] = ours.map(({ ms }) => ms / base.ms);
    results[`${name} memory`] = ours.map(({ kilobytes }) => kilobytes / base.kilobytes);
  }
  return results;
}

const PARSE_ALL = `
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
for (const entry of readdirSync(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.jsonl')) continue;
  for (const line of readFileSync(entry.parentPath + '/' + entry.name, 'utf8').split('\\n')) if (line) JSON.parse(line);
}`;

function keepLeast(least, { ms, kilobytes }) {
  least.ms = Math.min(least.ms, ms);
  least.kilobytes = Math.min(least.kilobytes, kilobytes);
}

/** GNU time is not everywhere: the process itself says at its end how much it needed. */
function time(program, work) {
  const note = path.join(work, 'report-peak.mjs');
  writeFileSync(note, `process.on('exit', () => process.stderr.write('PEAK ' + process.resourceUsage().maxRSS));`);
  const env = { PATH: process.env.PATH, HOME: work, TROUPE_HOME: path.join(work, 'state') };
  const started = performance.now();
  const done = spawnSync(process.execPath, ['--import', note, ...program], {
    env,
    cwd: work,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const ms = performance.now() - started;
  if (done.status !== 0) throw new Error(`${program.join(' ')}: ${done.stderr}`);
  return { ms, kilobytes: Number(/PEAK (\d+)/.exec(done.stderr)?.[1]) };
}

/** The guard's command as a host runs it, with a server and without one, beside an empty node. */
async function measureHooks(builds, work) {
  const project = path.join(work, 'project');
  mkdirSync(path.join(project, 'src'), { recursive: true });
  const input = JSON.stringify({
    session_id: '8f6e5c34-0c5d-4f6c-9a60-5d6f8f3a2b11',
    transcript_path: path.join(work, 'none.jsonl'),
    cwd: project,
    // Named: for a caller that is not, the server waits until the transcript says who it is.
    agent_id: 'a1b2c3d4e5f60718',
    agent_type: 'general-purpose',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'cd src && git status --short | grep -v "^??" && npm run test > /dev/null' },
    tool_use_id: 'toolu_01',
  });
  const homes = [];
  const servers = [];
  try {
    for (const [at, build] of builds.entries())
      for (const kind of ['served', 'alone']) {
        const home = path.join(work, `${kind}-${at}`);
        const state = path.join(home, 'state');
        mkdirSync(state, { recursive: true });
        const rules = Array.from({ length: 40 }, (_, n) => `  - { tools: "Bash(tool-${n}:*)", decision: deny }`);
        writeFileSync(path.join(state, 'policy.yaml'), `version: 1\nrules:\n${rules.join('\n')}\n`);
        const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: state };
        const install = ['hooks', 'install', '--host', 'claude-code', '--guard', '--host-version', '2.1.325', '--yes'];
        spawnSync(process.execPath, [path.join(build, 'dist/troupe.js'), ...install], { env, cwd: home });
        homes.push({ at, kind, env });
        if (kind === 'served') servers.push(await startServer(env.TROUPE_HOME, project, { build, env }));
      }
    const least = { node: Number.POSITIVE_INFINITY };
    for (let run = 0; run < RUNS * 3; run++) {
      least.node = Math.min(least.node, timeOf(process.execPath, ['-e', '0'], { env: homes[0].env }));
      for (const { at, kind, env } of homes) {
        const key = `${kind} ${at}`;
        const command = ['-c', `'${env.TROUPE_HOME}/bin/guard' claude-code`];
        least[key] = Math.min(
          least[key] ?? Number.POSITIVE_INFINITY,
          timeOf('sh', command, { env, input, cwd: project }),
        );
      }
    }
    const ratio = (kind) => builds.map((_, at) => least[`${kind} ${at}`] / least.node);
    return { 'hook with server': ratio('served'), 'hook without server': ratio('alone') };
  } finally {
    for (const server of servers) await server.stop();
  }
}

function timeOf(program, args, options) {
  const started = performance.now();
  const { status, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return performance.now() - started;
}

/** From the login link to the first agents, beside a page that builds 20,000 elements. */
async function measurePage(builds, work) {
  const data = path.join(work, 'page');
  writeSessions(data, { files: 201, agents: 100, sessions: 1 });
  const browser = await chromium.launch(await findBrowser());
  const servers = [];
  try {
    for (const [at, build] of builds.entries()) {
      const home = path.join(work, `page-home-${at}`);
      mkdirSync(home);
      servers.push(await startServer(home, data, { build }));
    }
    let plain = Number.POSITIVE_INFINITY;
    const least = builds.map(() => Number.POSITIVE_INFINITY);
    for (let run = 0; run < RUNS; run++) {
      plain = Math.min(
        plain,
        await timePage(browser, async (page) => {
          await page.setContent(`<script>for (let n = 0; n < 20000; n++) document.write('<p>' + n + '</p>')</script>`);
          await page.locator('p').nth(19_999).waitFor();
        }),
      );
      for (const [at, server] of servers.entries()) {
        const link = await createLink(server);
        least[at] = Math.min(
          least[at],
          await timePage(browser, async (page) => {
            await page.goto(link);
            await page.locator('.race-mirror [data-agent]').nth(5).waitFor();
          }),
        );
      }
    }
    return { 'first paint': least.map((ms) => ms / plain) };
  } finally {
    for (const server of servers) await server.stop();
    await browser.close();
  }
}

async function timePage(browser, job) {
  const page = await browser.newPage();
  const started = performance.now();
  await job(page);
  const ms = performance.now() - started;
  await page.close();
  return ms;
}

/** Gives how many limits are exceeded. */
export function printBudgets(rows) {
  console.log(`\nbudgets: least of ${RUNS} runs, as a ratio to what runs beside it (load ${loadavg()[0].toFixed(1)})`);
  const hasOther = rows.some(({ ratios }) => ratios.length > 1);
  console.log(`| what | beside | limit | now |${hasOther ? ' other build | difference |' : ''}`);
  console.log(`|---|---|---|---|${hasOther ? '---|---|' : ''}`);
  for (const {
    name,
    beside,
    limit,
    ratios: [now, other],
  } of rows) {
    const difference = hasOther
      ? ` ${other.toFixed(2)} | ${now > other ? '+' : ''}${((now / other - 1) * 100).toFixed(0)} % |`
      : '';
    console.log(`| ${name} | ${beside} | ${limit} | ${now.toFixed(2)}${now > limit ? ' ✗' : ''} |${difference}`);
  }
  return rows.filter(({ limit, ratios: [now] }) => now > limit).length;
}
