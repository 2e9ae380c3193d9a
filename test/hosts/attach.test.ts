import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentReport } from '../../src/core/index.ts';
import { addPlays } from './across-kit.ts';
import { type AttachHosts, startAttachHosts } from './attach-kit.ts';
import { programsIn } from './host-kit.ts';
import { kit, nameOf } from './kit.ts';
import { versionOf } from './opencode-server.ts';

// A follow-up question to a sub-agent that has ended, on the real programs: it reaches a conversation that knows what the agent
// did, as the scripted model is told it; and the tree says whom it goes on from. TROUPE_CLAUDE_BIN, and of TROUPE_CODEX_BIN,
// TROUPE_OPENCODE_BIN, TROUPE_GEMINI_BIN, TROUPE_QWEN_BIN, TROUPE_COPILOT_BIN what is there.

const QUESTION = 'Which file was it?';
/** What the sub-agent of the play did, and nobody else. */
const DEED = 'grep -rn TODO src | wc -l';
const JOB = 'Please do the job. [[play:single]]';

const [codex] = programsIn('TROUPE_CODEX_BIN');
const [opencode] = programsIn('TROUPE_OPENCODE_BIN');
const others = { gemini: 'TROUPE_GEMINI_BIN', qwen: 'TROUPE_QWEN_BIN', copilot: 'TROUPE_COPILOT_BIN' } as const;
const places = (claude: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries({
      claude,
      codex,
      opencode,
      ...Object.fromEntries(Object.entries(others).map(([name, variable]) => [name, programsIn(variable)[0]])),
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

for (const claude of programsIn('TROUPE_CLAUDE_BIN')) {
  describe(`troupe attach with ${nameOf(claude)}`, () => {
    let at: AttachHosts;
    let agent: AgentReport;
    let session: string;

    beforeAll(async () => {
      at = await startAttachHosts(`attach-${claude.replaceAll(/[^\w.]+/g, '-')}`, places(claude));
      await at.hosts.run('claude', [
        '-p',
        JOB,
        '--model',
        'claude-sonnet-4-5',
        '--allowedTools',
        'Bash,Read,Agent,Task',
      ]);
      agent = await at.agentOf('claude-code');
      session = (await at.tree()).session.id;
      if (!isSince(claude, 2_001_085)) dateBack(at.hosts.home, 'claude', session);
      at.heard.take();
    }, 240_000);
    afterAll(() => at?.close());

    it('wakes the sub-agent itself, through its main agent', async () => {
      await addPlays(({ say, tool, agent: task }) => ({
        'attach-main': [
          {
            items: [
              isSince(claude, 2_001_064)
                ? tool('SendMessage', {
                    to: agent.id,
                    summary: 'Follow-up',
                    message: `${QUESTION} [[play:attach-sub]]`,
                  })
                : Object.assign({}, tool('Task', { ...taskOf(task('Follow-up', '')), resume: agent.id })),
            ],
          },
          // The older way waits for the answer.
          ...(isSince(claude, 2_001_064) ? [{ items: [say('It was told.')] }] : []),
          { items: [say('The sub-agent says: src/app.js.')] },
        ],
        'attach-sub': [{ items: [say('It was src/app.js.')] }],
      }));
      const { code, out, err } = await at.troupe('attach', agent.id, '--message', `${QUESTION} [[play:attach-main]]`);
      expect(err).toContain('its main agent wakes the sub-agent with your message');
      expect({ code, out: out.trim() }).toEqual({ code: 0, out: expect.stringContaining('src/app.js') });
      const told = at.heard.take();
      const letter = told.find((body) => body.includes('[[play:attach-main]]'));
      expect(letter).toContain(agent.id);
      const woken = told.filter(
        (body) => body.includes('[[play:attach-sub]]') && !body.includes('[[play:attach-main]]'),
      );
      expect(woken.some((body) => body.includes(DEED) && body.includes(QUESTION))).toBe(true);
      const { agents } = await at.tree(session);
      expect(agents.map(({ id }) => id)).toEqual([session, agent.id]);
      const woke = agents.find(({ id }) => id === agent.id);
      expect(woke?.messageCount).toBeGreaterThan(agent.messageCount ?? 0);
      // Of the tool as teams have it, no line says that it wakes an agent.
      if (isSince(claude, 2_001_197)) expect(woke?.runs).toHaveLength(2);
    });

    it('a copy: a new session is told what the agent did, and stands below it', async () => {
      const id = await continues(at, { agent, session, host: 'claude-code', args: ['--fork'] });
      if (!isSince(claude, 2_001_085)) dateBack(at.hosts.home, 'claude', id);
      await opensAgain(at, id, session, 'copy');
    });

    it.skipIf(codex === undefined)('handed over to Codex', async () => {
      const id = await continues(at, { agent, session, host: 'codex', args: ['--host', 'codex'] });
      await opensAgain(at, id, session, isSince(codex ?? '', 166_000) ? 'copy' : 'no copy');
    });

    it.skipIf(opencode === undefined)('handed over to OpenCode', async () => {
      const id = await continues(at, { agent, session, host: 'opencode', args: ['--host', 'opencode'] });
      await opensAgain(at, id, session, 'copy');
    });

    for (const [host, variable] of Object.entries(others))
      it.skipIf(programsIn(variable).length === 0)(`handed over to ${host}`, async () => {
        const id = await continues(at, { agent, session, host, args: ['--host', host] });
        if (host !== 'copilot') dateBack(at.hosts.home, host, id);
        await opensAgain(
          at,
          id,
          session,
          host === 'qwen' && isSince(programsIn(variable)[0] ?? '', 23_004) ? 'copy' : 'no copy',
        );
      });

    it('what is printed beforehand is what is handed over', async () => {
      const args = [agent.id, '--fork', '--message', `${QUESTION} [[play:plain]]`];
      const { out } = await at.troupe('attach', ...args, '--print');
      at.heard.take();
      await at.troupe('attach', ...args);
      const inJson = JSON.stringify(out.trim()).slice(1, -1);
      expect(at.heard.take().some((body) => body.includes(inJson))).toBe(true);
    });
  });
}

describe.skipIf(kit === '' || codex === undefined)('troupe attach with Codex', () => {
  it("goes on in the sub-agent's own thread", async () => {
    const at = await startAttachHosts('attach-codex', places('/nowhere'));
    try {
      await at.hosts.run('codex', ['exec', '--skip-git-repo-check', JOB]);
      await goesOnItself(at, 'codex');
    } finally {
      await at.close();
    }
  });
});

describe.skipIf(kit === '').each(programsIn('TROUPE_OPENCODE_BIN'))('troupe attach with OpenCode at %s', (program) => {
  it("goes on in the sub-agent's own session", async () => {
    const only = new Map([['opencode', program]]);
    const at = await startAttachHosts(`attach-opencode-${versionOf(program)}`, only);
    try {
      await at.hosts.run('opencode', ['run', JOB]);
      await goesOnItself(at, 'opencode');
    } finally {
      await at.close();
    }
  });
});

interface Continued {
  readonly agent: AgentReport;
  readonly session: string;
  readonly host: string;
  readonly args: readonly string[];
}

/** A new session, which knows what the agent did; below the agent in the tree, by our own record. */
async function continues(at: AttachHosts, { agent, session, host, args }: Continued): Promise<string> {
  const before = new Set((await at.tree(session)).agents.map(({ id }) => id));
  at.heard.take();
  const asked = `${QUESTION} For ${host}. [[play:plain]]`;
  const { out, err } = await at.troupe('attach', agent.id, ...args, '--message', asked);
  expect(err).toContain('is told what the agent was asked, did and found');
  const told = at.heard.take().filter((body) => body.includes(`For ${host}.`));
  expect({ out, err, knows: told.some((body) => body.includes(DEED)) }).toMatchObject({ knows: true });
  expect(out).toContain('Hello. No sub-agents needed.');
  const { agents } = await at.tree(session);
  const news = agents.filter(({ id }) => !before.has(id));
  expect(
    news.map(({ kind, parentId, evidence, host: of }) => ({ kind, parentId, source: evidence?.source, of })),
  ).toEqual([{ kind: 'session', parentId: agent.id, source: 'continued', of: host }]);
  return news[0]?.id ?? '';
}

/** A session that goes on goes on, too: itself, and where its host can do that, in a copy that stands below it. */
async function opensAgain(at: AttachHosts, id: string, outer: string, copies: 'copy' | 'no copy'): Promise<void> {
  const asked = async (...args: readonly string[]): Promise<string> => {
    at.heard.take();
    const again = `And again, ${args.length}? [[play:plain]]`;
    const { code, out, err } = await at.troupe('attach', id, '--message', again, ...args);
    expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('Hello. No sub-agents needed.') });
    const told = at.heard.take().filter((body) => body.includes(again.slice(0, -17)));
    expect(told.some((body) => body.includes(QUESTION) && body.includes(DEED))).toBe(true);
    return err;
  };
  const before = (await at.tree(outer)).agents.map((one) => one.id);
  await asked();
  expect((await at.tree(outer)).agents.map((one) => one.id)).toEqual(before);
  const err = await asked('--fork');
  expect(err.includes('is told what the agent was asked')).toBe(copies === 'no copy');
  const news = (await at.tree(outer)).agents.filter((one) => !before.includes(one.id));
  expect(news.map(({ parentId, evidence }) => [parentId, evidence?.source])).toEqual([[id, 'continued']]);
}

/** The very agent says more, and its conversation is the one that the model is told. */
async function goesOnItself(at: AttachHosts, host: string): Promise<void> {
  const agent = await at.agentOf(host);
  at.heard.take();
  const { code, out, err } = await at.troupe('attach', agent.id, '--message', `${QUESTION} [[play:plain]]`);
  expect({ code, out: out.trim(), err }).toMatchObject({ code: 0, out: 'Hello. No sub-agents needed.' });
  const told = at.heard.take().filter((body) => body.includes(QUESTION));
  expect(told.some((body) => body.includes('TODO src | wc -l'))).toBe(true);
  const after = await at.agentOf(host);
  expect(after.id).toBe(agent.id);
  expect(after.messageCount).toBe((agent.messageCount ?? 0) + 2);
  expect(after.status).toBe('completed');
}

/** Where no record of processes is kept, a session may be open for five minutes. As if it had ended a day ago. */
function dateBack(home: string, host: string, id: string): void {
  const data = path.join(home, `.${host}`);
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 11);
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(data, name);
    if (!name.endsWith('.jsonl') || !/\b(?:chats|projects)\b/.test(name)) continue;
    const text = readFileSync(file, 'utf8');
    if (text.includes(id)) writeFileSync(file, text.replaceAll(day(Date.now()), day(Date.now() - 86_400_000)));
  }
}

/** Whether it is this version, or a later one: 2_001_197 is 2.1.197. */
function isSince(program: string, version: number): boolean {
  const [, major = 0, minor = 0, patch = 0] = /(\d+)\.(\d+)\.(\d+)/.exec(program)?.map(Number) ?? [];
  return (major * 1000 + minor) * 1000 + patch >= version;
}

function taskOf(item: unknown): object {
  const { description } = item as { readonly description: string };
  return { description, prompt: `${QUESTION} [[play:attach-sub]]`, subagent_type: 'general-purpose' };
}
