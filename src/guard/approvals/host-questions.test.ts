import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalListener, HostApproval } from '../../hosts/index.ts';
import { opencode } from '../../hosts/opencode/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createPendingApprovals, QuestionTurns } from './approvals.ts';
import { followHostApprovals } from './host-questions.ts';

const line = [
  { id: 'ses_b', parent: 'ses_a', agent: 'general', directory: '/p' },
  { id: 'ses_a', directory: '/p' },
];
const facts = {
  session: 'ses_b',
  line,
  directory: '/p',
  tool: 'bash',
  args: { command: 'rm -rf build' },
  call: 'call_1',
};
const as = (hook: string): object => ({
  hook,
  ...facts,
  permission: { id: 'per_1', permission: 'bash', patterns: ['rm *'] },
});
const QUESTION: HostApproval = {
  id: 'per_1',
  payloads: { asked: as('permission.asked'), question: as('permission.question'), gone: as('permission.replied') },
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that only we know, in place of a real one: what is said at it is said by the test. */
async function begin() {
  const folder = makeTemporaryFolder('questions');
  const timers: (() => void)[] = [];
  let asks = 0;
  const desk = createPendingApprovals({
    clock: () => 0,
    createId: () => `ask-${++asks}`,
    later: (_ms, act) => {
      timers.push(act);
      return () => undefined;
    },
  });
  const replies: string[] = [];
  const heard: ApprovalListener[] = [];
  const adapter = {
    ...opencode,
    questions: {
      addressesOf: async (root: string) => [root],
      listen: (_address: string, hears: ApprovalListener, signal: AbortSignal) => {
        heard.push(hears);
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      reply: async (_address: string, _question: HostApproval, printed: string) => replies.push(printed) > 0,
    },
  };
  const turns = new QuestionTurns();
  const asking = { desk, turns, onError: (error: unknown) => void expect(error).toBeUndefined() };
  const place = { adapter, root: 'http://127.0.0.1:1', forced: false };
  const following = followHostApprovals([place], { folder, asking, turns, needsProof: async () => false, everyMs: 10 });
  closers.push(() => following.close());
  await vi.waitUntil(() => heard.length > 0, { timeout: 30_000 });
  const spooled = (): readonly object[] => {
    const spool = path.join(folder, 'spool');
    return readdirSync(spool)
      .sort((a, b) => Number(a.split('.')[2]) - Number(b.split('.')[2]))
      .map((name) =>
        readFileSync(path.join(spool, name), 'utf8')
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text)),
      )
      .map(([payload, extra]) => ({
        hook: payload.hook,
        ...(extra.decision && { decision: extra.decision, by: extra.answeredBy }),
      }));
  };
  return { desk, turns, replies, spooled, heard: heard[0] as ApprovalListener, timers, listens: () => heard.length };
}

describe('a question that a server reports', () => {
  it('is asked here, answered there, and written down', async () => {
    const { desk, replies, spooled, heard, listens } = await begin();
    heard.asked(QUESTION);
    // The same server by another address.
    heard.asked(QUESTION);
    expect(desk.list()).toMatchObject([
      { host: 'opencode', session: 'ses_a', tool: 'Bash', otherwise: null, agent: { type: 'general', depth: 1 } },
    ]);
    expect(desk.answer('ask-1', 'deny', 'page').outcome).toBe('taken');
    await vi.waitUntil(() => replies.length > 0, { timeout: 30_000 });
    expect(JSON.parse(replies[0] ?? '')).toMatchObject({
      reply: 'reject',
      message: expect.stringContaining('denied it'),
    });
    heard.gone('per_1');
    expect(spooled()).toEqual([
      { hook: 'permission.asked' },
      { hook: 'permission.question', decision: 'deny', by: 'page' },
      { hook: 'permission.replied' },
    ]);
    expect(listens()).toBe(1);
  });

  it('is withdrawn when it was answered elsewhere', async () => {
    const { desk, replies, heard } = await begin();
    heard.asked(QUESTION);
    heard.gone('per_1');
    expect(desk.list()).toMatchObject([{ end: { decision: null, by: 'withdrawn' } }]);
    expect(replies).toEqual([]);
  });

  it('is left to a hook that has it, before or after', async () => {
    const { desk, turns, heard, spooled } = await begin();
    heard.asked(QUESTION);
    turns.take('per_1');
    expect(desk.list()).toMatchObject([{ end: { by: 'withdrawn' } }]);
    heard.asked(QUESTION);
    expect(desk.list()).toHaveLength(1);
    // What became of it is the hook's to tell.
    expect(spooled()).toEqual([{ hook: 'permission.asked' }]);
  });

  it('is asked again when the time is over, for the host goes on asking', async () => {
    const { desk, heard, timers } = await begin();
    heard.asked(QUESTION);
    timers[0]?.();
    await vi.waitUntil(() => desk.list().length === 2, { timeout: 30_000 });
    expect(desk.list().map(({ end }) => end?.by ?? 'open')).toEqual(['expiry', 'open']);
  });
});
