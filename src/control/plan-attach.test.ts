import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type AgentStatus,
  type AttachOptions,
  hostOf,
  mainAgentOf,
  nativeId,
  type OpenedTranscript,
} from '../core/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { UserError } from '../lib/user-error.ts';
import { createRedactor } from '../redact/index.ts';
import { createSessions, createTranscripts, listDataFolders } from '../sessions/index.ts';
import { type AttachPlan, planAttach } from './plan-attach.ts';

// A home with recorded sessions of all hosts (test/fixtures/README.md).
const home = fileURLToPath(new URL('../../test/fixtures/all-hosts', import.meta.url));
const machine = { env: {}, home };
const clock = (): number => Date.parse('2030-01-01');
const NEW = '00000000-0000-4000-8000-000000000000';
const CLAUDE_SUB = 'Ask the others';

interface Asked extends Partial<AttachOptions> {
  readonly version?: string;
  readonly status?: AgentStatus;
  /** Of the main agent. */
  readonly mainStatus?: AgentStatus;
}

/** Of hosts that ran without a sub-agent there: the recording of one. */
const SINGLE = [
  'gemini/fixtures/0.61.0-single',
  'qwen/fixtures/0.24.4-single',
  'copilot/fixtures/1.0.102-single',
  'opencode/fixtures/1.18.33-single',
].map((name) => fileURLToPath(new URL(`../hosts/${name}`, import.meta.url)));
/** As if these were folders of the hosts. */
const adapters = ADAPTERS.map((adapter) => ({
  ...adapter,
  roots: (of: typeof machine) => [...adapter.roots(of), ...SINGLE],
}));
const places = [...listDataFolders(ADAPTERS, machine, {}), ...listDataFolders(ADAPTERS, machine, { roots: SINGLE })];

async function open(agent: string): Promise<OpenedTranscript> {
  return createTranscripts(places, clock).read(agent);
}

async function plan(agent: string, { version, status, mainStatus, ...wish }: Asked = {}): Promise<AttachPlan> {
  const opened = await open(agent);
  const agents = opened.tree.agents.map((node) => ({
    ...node,
    ...(mainStatus !== undefined && node.id === mainAgentOf(opened.tree.id) && { status: mainStatus }),
    ...(status !== undefined && node.id === opened.agent && { status }),
  }));
  return planAttach(
    { ...opened, tree: { ...opened.tree, agents } },
    { fork: false, budget: 8_000, ...wish },
    {
      adapters,
      machine,
      newId: () => NEW,
      createRedactor: async () => createRedactor(),
      findProgram: async ({ host }) => ({ program: host, ...(version !== undefined && { version }) }),
    },
  );
}

async function ofHost(host: string, isMain: boolean): Promise<string> {
  const home = listDataFolders(ADAPTERS, machine, {});
  const { trees } = await createSessions(isMain ? home : places, { clock }).list({ limit: 100 });
  const nodes = trees.flatMap(({ agents }) => agents).filter(({ id }) => hostOf(id) === host);
  const node = nodes.find(({ kind }) => (kind === 'main' || kind === 'session') === isMain);
  if (!node) throw new Error(`none of ${host}`);
  return nativeId(node.id);
}

const message = 'Which file was it?';

describe('the best way to continue', () => {
  it('follows a running agent, and refuses to send it a message by resuming it', async () => {
    const { report, call } = await plan(CLAUDE_SUB, { status: 'running' });
    expect([report.way, report.command, call]).toEqual(['follow', null, undefined]);
    await expect(plan(CLAUDE_SUB, { status: 'running', message })).rejects.toThrow(UserError);
  });

  it.each([
    ['2.1.325', 'SendMessage', undefined],
    ['2.1.197', 'SendMessage', undefined],
    ['2.1.150', 'SendMessage', { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }],
    ['2.1.63', '"resume"', undefined],
    ['2.0.76', '"resume"', undefined],
  ])('wakes a sub-agent of Claude Code %s through its main agent', async (version, tool, env) => {
    const { report, call } = await plan(CLAUDE_SUB, { version, message });
    expect(report.way).toBe('parent');
    expect(call?.args).toEqual(['--resume', report.agent.sessionId, '-p']);
    expect(call?.stdin).toContain(tool);
    expect(call?.stdin).toContain(`sub-agent ${report.agent.id}`);
    expect(call?.stdin?.endsWith(message)).toBe(true);
    expect(call?.env).toEqual(env ?? {});
    expect(report.begins).toBeNull();
  });

  it.each<[string, Asked]>([
    ['cannot wake a sub-agent', { version: '1.0.60', message }],
    ['a copy of a session', { version: '2.1.325', message, fork: true }],
    ['its session is open elsewhere', { version: '2.1.325', message, mainStatus: 'waiting' }],
    ['none was given', { version: '2.1.325' }],
  ])('starts a new session of Claude Code because %s', async (reason, asked) => {
    const { report, call, begins } = await plan(CLAUDE_SUB, asked);
    expect(report.way).toBe('handover');
    expect(report.reasons).toEqual([expect.stringContaining(reason)]);
    expect(call?.args.slice(0, 2)).toEqual(['--session-id', NEW]);
    expect(begins).toEqual({ host: 'claude-code', session: NEW });
    expect(call?.env?.['TROUPE_PARENT']).toBe(`claude-code:${report.agent.sessionId}:${report.agent.id}`);
    expect(report.text).toContain('## What it did, a line for each call');
    expect(call?.stdin ?? call?.args.at(-1)).toBe(report.text);
  });

  it.each([
    ['codex', ['exec', '--json', 'resume', 'ID', '-'], 'own'],
    ['opencode', ['run', '--session', 'ID', '--format', 'json'], 'own'],
    ['gemini', ['--session-id', NEW, '--prompt=TEXT'], 'handover'],
    ['qwen', ['--session-id', NEW, '--prompt=TEXT'], 'handover'],
    ['copilot', [`--session-id=${NEW}`, '--prompt=TEXT'], 'handover'],
  ])('continues a sub-agent of %s', async (host, args, way) => {
    const { report, call } = await plan(await ofHost(host, false), { message, version: '99.0.0' });
    const shown = call?.args.map((word) => word.replace(report.text ?? '', 'TEXT').replace(report.agent.id, 'ID'));
    expect([report.way, shown]).toEqual([way, args]);
  });

  it.each([
    ['1.18.34', ['--session', 'ID', '--fork']],
    ['2.0.15', ['mini', '--session', 'ID', '--fork']],
  ])('opens a copy of an OpenCode %s session in a terminal when that can copy', async (version, args) => {
    const id = await ofHost('opencode', true);
    const { call } = await plan(id, { fork: true, version, mainStatus: 'completed' });
    expect(call?.args.map((word) => word.replace(id, 'ID'))).toEqual(args);
  });

  it('passes the id of a new session in another way to Copilot before 1.0.65', async () => {
    const { call } = await plan(await ofHost('copilot', false), { message, version: '1.0.50' });
    expect(call?.args[0]).toBe(`--resume=${NEW}`);
  });

  it.each([
    ['claude-code', ['--resume', 'ID', '-p']],
    ['codex', ['exec', '--json', 'resume', 'ID', '-']],
    ['opencode', ['run', '--session', 'ID', '--format', 'json']],
    ['gemini', ['--resume', 'ID', `--prompt=${message}`]],
    ['qwen', ['--resume', 'ID', `--prompt=${message}`]],
    ['copilot', ['--resume=ID', `--prompt=${message}`]],
  ])('opens a session of %s again', async (host, args) => {
    const id = await ofHost(host, true);
    const { report, call } = await plan(id, { message, mainStatus: 'completed' });
    expect([report.way, call?.args.map((word) => word.replace(id, 'ID'))]).toEqual(['session', args]);
    expect([report.begins, call?.env]).toEqual([null, {}]);
  });

  it('starts a new session when the host is another one, whatever the first could do', async () => {
    const { report, begins } = await plan(CLAUDE_SUB, { message, host: 'codex', version: '0.166.0' });
    expect([report.way, report.host, begins]).toEqual(['handover', 'codex', { host: 'codex' }]);
    expect(report.reasons).toEqual(['Codex cannot open a conversation of Claude Code.']);
    await expect(plan(CLAUDE_SUB, { host: 'nobody' })).rejects.toThrow('«nobody»');
  });

  it('does not pass an id to a program when the program could misread it', async () => {
    const opened = await open(CLAUDE_SUB);
    const id = 'claude-code:--dangerously-skip-permissions' as typeof opened.agent;
    const agents = opened.tree.agents.map((node) => (node.id === opened.agent ? { ...node, id } : node));
    const { report, call } = await planAttach(
      { ...opened, agent: id, tree: { ...opened.tree, agents } },
      { fork: false, budget: 8_000, message },
      {
        ...{ adapters, machine, newId: () => NEW, createRedactor: async () => createRedactor() },
        findProgram: async () => ({ program: 'claude', version: '2.1.325' }),
      },
    );
    expect(report.reasons).toEqual([expect.stringContaining('its id is none that could be given to a program')]);
    expect(call?.args).toEqual(['--session-id', NEW, '-p']);
  });

  it('redacts the handover: no secret of the transcript is in the text', async () => {
    const opened = await open(CLAUDE_SUB);
    const secret = `ghp${'_'}${'FAKEfake'.repeat(4)}0000`;
    const told = {
      role: 'user',
      id: 'x',
      timestamp: null,
      model: null,
      content: [
        { type: 'text', text: `Use ${secret}.` },
        { type: 'text', text: `DB_PASSWORD=Barcelona2024!\n{"message":"API Key: cal_live_9f8e7d6c5b4a"}` },
      ],
    } as const;
    const transcript = { ...opened.transcript, messages: [told, ...opened.transcript.messages] };
    const { report } = await planAttach(
      { ...opened, transcript },
      { fork: true, budget: 8_000, message },
      {
        ...{ adapters: ADAPTERS, machine, newId: () => NEW, createRedactor: async () => createRedactor() },
        findProgram: async () => undefined,
      },
    );
    expect(JSON.stringify(report)).not.toContain(secret);
    expect(JSON.stringify(report)).not.toMatch(/Barcelona|cal_live/);
    expect(report.text).toContain('Use [redacted:github-token#1].');
    expect(report.redacted).toContainEqual({ what: expect.stringContaining('GitHub'), count: expect.any(Number) });
  });
});
