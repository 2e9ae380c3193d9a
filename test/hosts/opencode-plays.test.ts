import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentReport, AuditEntry, CoverageReport, TreeReport } from '../../src/core/index.ts';
import { type BotServer, startBotServer } from '../telegram-server/bot-server.ts';
import { compare, type DictatedAgent, kit, root, work } from './kit.ts';
import { isSecondProgram, programs, type ServedProject, serveOpencode, versionOf } from './opencode-server.ts';
import { followEvents, type Heard, type RunningServer, startServer } from './server.ts';

// Every play on each version, guarded and followed live: the states shown, the tree in the end, and that the guard heard of every call.

const CHAT = -1_000_000_000_100;
const PATIENCE = { timeout: 90_000, interval: 100 };

const WORKING = '(spawning )?running( waiting child( running)?)*';
const COMPLETED = new RegExp(`^${WORKING} completed$`);
/** Of a server, main agents wait for the next prompt in the end; before it, only while an agent in the background works. */
const MAIN = new RegExp(`^(waiting )?${WORKING}( completed| waiting)$`);
const MAIN_OF_BACKGROUND = new RegExp(`^(waiting )?${WORKING}( waiting ${WORKING})?( completed| waiting)$`);

/** By play, the states of agents that do not run once and complete. */
const PLAYS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  single: {},
  parallel: {},
  many: {},
  nested: {},
  background: { main: MAIN_OF_BACKGROUND },
  failing: { 'Will hit API error': /^(spawning )?running failed$/ },
  resume: { 'First pass': /^(spawning )?running completed running completed$/ },
};
for (const program of programs) {
  const version = versionOf(program);
  describe(`OpenCode ${version}, guarded and followed`, () => {
    const own = mkdtempSync(path.join(work, `opencode-plays-${version}-`));
    const state = path.join(own, 'state');
    const config = path.join(own, 'plays', 'config', 'opencode');
    let host: ServedProject;
    let server: RunningServer;
    let telegram: BotServer;
    let bot: ChildProcess;
    const heard: Heard[] = [];

    const troupe = (...args: readonly string[]): string => {
      const env = { ...process.env, ...host.env, TROUPE_HOME: state };
      const options = { env, cwd: host.project, encoding: 'utf8' } as const;
      return spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], options).stdout;
    };
    const treeOf = (session: string): TreeReport => JSON.parse(troupe('tree', session, '--json'));
    const statesOf = (session: string): ReadonlyMap<string, readonly string[]> => statesIn(heard, session);
    const entriesOf = (session: string): readonly AuditEntry[] =>
      troupe('guard', 'log', '--session', session, '-n', '100', '--json')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): AuditEntry => JSON.parse(line));
    const policy = (text: string): void => writeFileSync(path.join(state, 'policy.yaml'), `version: 1\nrules:${text}`);

    beforeAll(async () => {
      mkdirSync(state, { recursive: true });
      telegram = await startBotServer({ chats: [{ id: CHAT, isForum: true }] });
      writeFileSync(
        path.join(state, 'config.json'),
        JSON.stringify({ telegram: { chats: [CHAT], apiRoot: telegram.url } }),
      );
      await addPlays();
      const permission = { general: { permission: { task: 'allow', subagent: 'allow' } } };
      const depth = isSecondProgram(program) ? { experimental: { subagent_depth: 3 } } : { subagent_depth: 3 };
      host = await serveOpencode({
        program,
        root: own,
        scenario: 'plays',
        permission: { '*': 'allow', bash: { '*': 'allow', 'rm build/asked.txt': 'ask' } },
        settings: { ...depth, agent: permission, ...notesServer(own, isSecondProgram(program)) },
        prepare(env, project) {
          host = { env, project } as ServedProject;
          troupe('hooks', 'install', '--host', 'opencode', '--guard', '--yes', '--host-version', version);
        },
      });
      const env = { ...process.env, TROUPE_HOME: state, TROUPE_TELEGRAM_TOKEN: telegram.token };
      server = await startServer(host.data, env);
      await followEvents(server, heard);
      const bare = [path.join(root, 'dist/troupe.js'), 'telegram', '--root', host.data];
      bot = spawn(process.execPath, bare, { env, stdio: 'ignore' });
      await vi.waitUntil(() => existsSync(path.join(state, 'telegram.json')), PATIENCE);
    }, 180_000);
    afterAll(async () => {
      bot?.kill('SIGKILL');
      server?.stop();
      await host?.close();
      await telegram?.close();
    });

    it.each(Object.entries(PLAYS))('%s: states, tree and coverage are right', async (play, expected) => {
      policy(DENIES);
      const session = await host.prompt(play);
      await host.untilIdle(session);
      const dictated = await dictate(play);
      const isOver = (): boolean =>
        treeOf(session).agents.length === dictated.length &&
        treeOf(session).agents.every(({ status }) => !/running|spawning/.test(status));
      await vi.waitUntil(isOver, PATIENCE);
      await expect.poll(() => asDictated(treeOf(session), dictated), { timeout: 20_000 }).toBeUndefined();
      await expect
        .poll(() => wrongStates(statesOf(session), treeOf(session).agents, expected), { timeout: 5_000 })
        .toEqual([]);
      const coverage: CoverageReport = JSON.parse(troupe('guard', 'coverage', session, '--json'));
      expect([coverage.missed, coverage.unresolved, coverage.heard]).toEqual([[], [], coverage.ran]);
    });

    /** `isHosts`: the program asks, not a rule. */
    const CASES = [
      ['once', false],
      ['deny', false],
      ['once', true],
      ['deny', true],
    ] as const;
    it.each(CASES)(
      'an agent of an agent waits for the chat, which says %s (asked by the program: %s)',
      async (said, isHosts) => {
        policy(isHosts ? FORBIDS_ONE : ASKS);
        const file = isHosts ? 'asked.txt' : 'old.txt';
        writeFileSync(path.join(host.project, 'build', file), '');
        const before = telegram.messages(CHAT).length;
        const session = await host.prompt(isHosts ? 'ask-host' : 'ask-nested');
        const isAsked = ({ text, buttons }: { text: string; buttons: readonly unknown[] | null }): boolean =>
          text.startsWith('🔐') && (buttons ?? []).length > 0;
        const asked = await vi.waitUntil(() => telegram.messages(CHAT).slice(before).find(isAsked), PATIENCE);
        expect(asked.text).toContain('main › Lead › Helper');
        expect(asked.text).toContain(`Bash rm build/${file}`);
        const last = () => statesOf(session).get('Helper')?.at(-1);
        if (isHosts) await vi.waitUntil(() => last() === 'waiting permission', PATIENCE);
        const button = asked.buttons?.find(({ callback_data }) => callback_data.startsWith(said));
        const told = await telegram.press(CHAT, asked.id, { id: 7, username: 'ann' }, button?.callback_data ?? '');
        expect(told).toBe(said === 'once' ? 'Allowed once.' : 'Denied.');
        await host.untilIdle(session);
        expect(existsSync(path.join(host.project, 'build', file))).toBe(said === 'deny');
        const decided = entriesOf(session).find(({ answeredBy }) => Boolean(answeredBy));
        expect(decided).toMatchObject({ decision: said === 'once' ? 'allow' : 'deny', answeredBy: 'telegram:7 @ann' });
        expect(decided?.agent.path).toEqual(['main', 'Lead', 'Helper']);
        await vi.waitUntil(() => last() === 'completed', PATIENCE);
      },
    );

    it('the calls inside a script are named, numbered and guarded one by one', async ({ skip }) => {
      if (!host.isSecond) skip('OpenCode 1 has no scripts');
      policy(FORBIDS_ONE);
      const session = await host.prompt('script');
      await host.untilIdle(session);
      const entries = entriesOf(session).filter(({ tool }) => tool !== 'Agent' && tool !== 'Bash');
      expect(
        entries.map(({ tool, decision, summary }) => `${tool} ${decision} ${summary?.slice(0, 5)}`).toSorted(),
      ).toEqual([
        'mcp__notes__forget deny one',
        'mcp__notes__remember none one',
        'mcp__notes__remember none three',
        'mcp__notes__remember none two',
        'opencode:execute none await',
      ]);
      for (const { agent } of entries) expect(agent).toMatchObject({ depth: 1, path: ['main', 'Writer'] });
      expect(new Set(entries.map(({ call }) => call)).size).toBe(entries.length);
      expect(readFileSync(path.join(own, 'notes.txt'), 'utf8')).toBe('remember one\nremember two\nremember three\n');
      const coverage: CoverageReport = JSON.parse(troupe('guard', 'coverage', session, '--json'));
      expect([coverage.missed, coverage.unresolved]).toEqual([[], []]);
    });

    it('agents of a killed server are unknown, and stay so until their session goes on', async () => {
      policy(DENIES);
      const session = await host.prompt('hang');
      await vi.waitUntil(() => treeOf(session).agents[1]?.toolCallCount === 1, PATIENCE);
      host.kill();
      const last = (name: string) => statesOf(session).get(name)?.at(-1);
      await vi.waitUntil(() => last('main') === 'unknown' && last('Hangs') === 'unknown', PATIENCE);
      await host.startAgain();
      // A prompt elsewhere: the new server works on the same database.
      const other = await host.prompt('single');
      await host.untilIdle(other);
      expect([last('main'), last('Hangs')]).toEqual(['unknown', 'unknown']);
      await host.prompt('single', session);
      await host.untilIdle(session);
      await vi.waitUntil(() => last('Count TODO comments') === 'completed', PATIENCE);
      expect(last('Hangs')).toMatch(/^(unknown|stopped)$/);
      await vi.waitUntil(() => /^(waiting input|completed)$/.test(last('main') ?? ''), PATIENCE);
    });

    it('leaves nothing behind when it is uninstalled', () => {
      const left = () => readdirSync(config, { recursive: true }).filter((name) => /troupe/i.test(String(name)));
      expect(left()).not.toEqual([]);
      troupe('hooks', 'uninstall', '--host', 'opencode', '--yes');
      expect(left()).toEqual([]);
      expect(readFileSync(path.join(config, 'opencode.json'), 'utf8')).not.toMatch(/troupe(?!-hosts)/i);
    });
  });

  const before = programs.find((one) => !isSecondProgram(one));
  describe.runIf(before !== undefined && isSecondProgram(program))(
    `a data folder of OpenCode ${versionOf(before ?? program)} that ${version} goes on with`,
    () => {
      it('has each session once, and the agents of both versions in it', async () => {
        const own = mkdtempSync(path.join(work, `opencode-upgraded-${version}-`));
        const host = await serveOpencode({
          program: before ?? program,
          root: own,
          scenario: 'upgraded',
          permission: { '*': 'allow' },
          password: 'sesame',
        });
        const heard: Heard[] = [];
        let server: RunningServer | undefined;
        try {
          const env = { ...process.env, TROUPE_HOME: path.join(own, 'state'), OPENCODE_PASSWORD: 'sesame' };
          server = await startServer(host.data, env);
          await followEvents(server, heard);
          const session = await host.prompt('single');
          await host.untilIdle(session);
          const last = (name: string) => statesIn(heard, session).get(name)?.at(-1);
          await vi.waitUntil(() => last('Count TODO comments') === 'completed', PATIENCE);
          host.kill();
          await host.startAgain(program);
          await host.prompt('parallel', session);
          await host.untilIdle(session);
          await vi.waitUntil(() => last('Write a note') === 'completed', PATIENCE);
          await vi.waitUntil(() => /^(waiting input|completed)$/.test(last('main') ?? ''), PATIENCE);
          const args = [path.join(root, 'dist/troupe.js'), 'tree', session, '--json', '--root', host.data];
          const tree: TreeReport = JSON.parse(spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stdout);
          expect(
            tree.agents.slice(1).map(({ description, status, toolCallCount }) => [description, status, toolCallCount]),
          ).toEqual([
            ['Count TODO comments', 'completed', 2],
            ['Inspect source files', 'completed', 1],
            ['Write a note', 'completed', 2],
          ]);
          const roots = new Set(heard.map(({ change }) => change.sessionId));
          expect([...roots]).toEqual([session]);
          // Nothing that had ended before the upgrade is taken back.
          expect(statesIn(heard, session).get('Count TODO comments')?.join(' ')).toMatch(COMPLETED);
        } finally {
          server?.stop();
          await host.close();
        }
      });
    },
  );
}

/** By name of the agent, the states that were shown, each once in a row. */
function statesIn(heard: readonly Heard[], session: string): ReadonlyMap<string, readonly string[]> {
  const states = new Map<string, string[]>();
  for (const { change } of heard) {
    if (change.sessionId !== session) continue;
    for (const { kind, description, status, waitingOn } of change.agents) {
      const name = kind === 'main' ? 'main' : (description ?? '?');
      const list = states.get(name) ?? [];
      const shown = waitingOn === null ? status : `${status} ${waitingOn}`;
      if (list.at(-1) !== shown) list.push(shown);
      states.set(name, list);
    }
  }
  return states;
}

function wrongStates(
  states: ReadonlyMap<string, readonly string[]>,
  agents: readonly AgentReport[],
  expected: Readonly<Record<string, RegExp>>,
): readonly string[] {
  return agents.flatMap(({ kind, description }) => {
    const name = kind === 'main' ? 'main' : (description ?? '?');
    const shown = (states.get(name) ?? []).join(' ').replaceAll('waiting input', 'waiting');
    return (expected[name] ?? (kind === 'main' ? MAIN : COMPLETED)).test(shown) ? [] : [`${name}: ${shown}`];
  });
}

async function dictate(play: string): Promise<readonly DictatedAgent[]> {
  const truth = await import(pathToFileURL(path.join(kit, 'truth.mjs')).href);
  return truth.dictate(play, { maxDepth: 3, knownTypes: [] }).agents;
}

/** Undefined if it is. */
function asDictated(tree: TreeReport, dictated: readonly DictatedAgent[]): string | undefined {
  const agents = tree.agents.map((one) =>
    one.kind === 'main' && one.status === 'waiting' ? { ...one, status: 'completed' } : one,
  );
  try {
    compare({ ...tree, agents } as never, dictated);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

async function addPlays(): Promise<void> {
  const { PLAYS: plays, agent, say, shell, tool } = await import(pathToFileURL(path.join(kit, 'plays.mjs')).href);
  const done = { items: [say('Done.')] };
  plays['ask-nested'] = [{ items: [agent('Lead', 'Have it removed. [[play:ask-lead]]')] }, done];
  plays['ask-lead'] = [{ items: [agent('Helper', 'Remove it. [[play:ask-helper]]')] }, done];
  plays['ask-helper'] = [{ items: [shell('rm build/old.txt', 'Remove a file')] }, done];
  plays['ask-host'] = [{ items: [agent('Lead', 'Have it removed. [[play:ask-host-lead]]')] }, done];
  plays['ask-host-lead'] = [{ items: [agent('Helper', 'Remove it. [[play:ask-host-helper]]')] }, done];
  plays['ask-host-helper'] = [{ items: [shell('rm build/asked.txt', 'Remove a file')] }, done];
  plays['script'] = [{ items: [agent('Writer', 'Write notes. [[play:script-writer]]')] }, done];
  const code = `await Promise.all([tools.notes.remember({ text: 'one' }), tools.notes.remember({ text: 'two' })]);
    try { await tools.notes.forget({ text: 'one' }); } catch {}
    return await tools.notes.remember({ text: 'three' });`;
  // Servers of tools are there some moments after the session.
  plays['script-writer'] = [{ items: [shell('sleep 3', 'Wait')] }, { items: [tool('execute', { code })] }, done];
}

/** A server of tools, which writes down what it was asked. */
function notesServer(folder: string, isSecond: boolean): object {
  const file = path.join(folder, 'notes.mjs');
  writeFileSync(file, NOTES);
  const command = [process.execPath, file, path.join(folder, 'notes.txt')];
  return { mcp: isSecond ? { servers: { notes: { type: 'local', command } } } : { notes: { type: 'local', command } } };
}

const NOTES = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = ['remember', 'forget'].map((name) => ({ name, description: name + ' a note', inputSchema }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } });
  else if (method === 'tools/list') answer({ tools });
  else if (method === 'tools/call') {
    appendFileSync(process.argv[2], params.name + ' ' + params.arguments.text + '\\n');
    answer({ content: [{ type: 'text', text: 'ok' }] });
  } else if (id !== undefined) answer({});
});
`;

const DENIES = `
  - name: no removals by agents of agents
    agents: { depth: ">=2" }
    tools: "Bash(rm:*)"
    reason: Ask a person to do it.
    decision: deny
`;

const ASKS = `
  - name: removals are asked about
    agents: { depth: 2 }
    tools: "Bash(rm:*)"
    decision: ask
    wait: 2m
    on_timeout: deny
    reason: It cannot be undone.
`;

const FORBIDS_ONE = `
  - name: notes stay
    agents: { depth: 1 }
    tools: mcp__notes__forget
    decision: deny
    reason: Notes are kept.
`;
