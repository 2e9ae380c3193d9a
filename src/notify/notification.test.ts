import { describe, expect, it } from 'vitest';
import { RECORDINGS } from '../audit/testing/recorded-sessions.ts';
import type { RunReport, SessionDetail } from '../core/index.ts';
import { formatNotification } from './messages/notification-lines.ts';
import {
  DEFAULT_ANNOUNCE,
  emptyRecord,
  findNotifications,
  isLoud,
  parseRecord,
  recordSent,
  revisionOf,
  settleNotice,
} from './notification.ts';
import { formatRecording } from './testing/told-lines.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

async function linesOf(name: string, tools = false): Promise<readonly string[]> {
  const [told] = await formatRecording(name, { tools });
  return told?.lines ?? [];
}

describe('notifications for a recording', () => {
  it('report that one agent was spawned, started and completed', async () => {
    expect(await linesOf('2.1.325-single', true)).toEqual([
      '📎 Subagent [Count TODO comments]\n  › Task: Count the TODO comments in this repository and report the number. [[play:sub-count]]',
      '🔧 [Count TODO comments] Bash\n  › grep -rn TODO src | wc -l',
      '🔧 [Count TODO comments] Read\n  › /home/dev/single/src/app.js',
      '✅ Subagent [Count TODO comments] completed\n  › There are 2 TODO comments in src/.',
      '🏁 Done\n  › The sub-agent found 2 TODO comments.',
    ]);
  });

  it('report a budget that is nearly used up, once', async () => {
    const [said] = await formatRecording('2.1.325-single', { tools: false });
    const agentId = said?.session.subagents[0]?.id ?? null;
    const alert = {
      id: 'x',
      state: 'warned',
      at: '2026-11-19T12:00:00Z',
      agentId,
      text: 'Budget "x": 90 % used.',
    } as const;
    const session = { ...(said?.session as SessionDetail), budgetAlerts: [alert] };
    const look = (told = emptyRecord(0)) =>
      findNotifications({ session, timeline: undefined, told, announce: DEFAULT_ANNOUNCE, now: NOW }).filter(
        ({ kind }) => kind === 'budget',
      );
    const [news] = look();
    expect(news && [isLoud(news), formatNotification(news, session, '').text]).toEqual([
      true,
      '⏳ Budget [Count TODO comments]\n  › Budget "x": 90 % used.',
    ]);
    expect(news && look(recordSent(emptyRecord(0), news))).toEqual([]);
  });

  it('report nested agents each under its own name', async () => {
    expect(await linesOf('2.1.325-nested')).toEqual([
      '📎 Subagent [Audit the repo]\n  › Task: Audit this repository; delegate file checks to another agent. [[play:sub-audit]]',
      '📎 Subagent [Check app.js]\n  › Task: Check src/app.js for problems. [[play:sub-leaf]]',
      '📎 Subagent [Check util.js]\n  › Task: Check src/util.js for problems. [[play:sub-leaf]]',
      '✅ Subagent [Check util.js] completed\n  › The file looks fine.',
      '✅ Subagent [Check app.js] completed\n  › The file looks fine.',
      '✅ Subagent [Audit the repo] completed\n  › Audit: two files checked, no problems.',
      '🏁 Done\n  › Audit finished.',
    ]);
  });

  it('come when a background agent is done, not when it was launched', async () => {
    const [said] = await formatRecording('2.1.325-background', { tools: false });
    expect(said?.lines[1]).toBe('✅ Subagent [Long running check] completed\n  › slow check passed');
    const [agent] = said?.session.subagents ?? [];
    expect(said?.news[1]?.at).toBe(Date.parse(agent?.completedAt ?? ''));
  });

  it('name the cause when it is known, and "no output" only when none can come', async () => {
    expect(await linesOf('2.1.325-failing')).toContain(
      '❌ Subagent [Will hit API error] failed — API Error: 400 synthetic failure from the fake provider',
    );
    expect(await linesOf('2.1.325-stop')).toContain('❌ Subagent [Endless job] failed — stopped by its caller');
    expect(await linesOf('2.1.197-inter-esc')).toContain('❌ Subagent [Hangs] failed — interrupted');
    expect(await linesOf('2.1.325-hang-sigkill')).toContain('❌ Subagent [Hangs] failed — no output returned');
    // This version does not say whether its process lives: nothing is claimed.
    expect((await linesOf('2.1.20-background')).join()).not.toContain('❌');
  });

  it('show a call without an agent name when its agent is unknown', async () => {
    expect(await linesOf('2.1.38-twins-hang')).toEqual(['🔧 Task\n  › Worker left', '🔧 Task\n  › Worker right']);
    const refused = await linesOf('2.1.325-failing');
    expect(refused.slice(4, 6)).toEqual([
      '🔧 Task\n  › Unknown type',
      expect.stringMatching(/^❌ Task failed\n {2}› Agent type 'no-such-agent' not found\./),
    ]);
  });

  it('report each run of a woken agent with its own words', async () => {
    const lines = await linesOf('2.1.325-resume');
    expect(lines.filter((line) => line.startsWith('✅'))).toEqual([
      '✅ Subagent [First pass] completed\n  › first pass done',
      '✅ Subagent [First pass] completed\n  › second pass done',
    ]);
  });

  it('do not mention sub-agents when there are none', async () => {
    expect(await linesOf('2.1.325-plain', true)).toEqual(['🏁 Done\n  › Hello. No sub-agents needed.']);
  });

  it('come once for every recording, by time, with short lines, and not again', async () => {
    for (const name of RECORDINGS)
      for (const { session, news, lines, told } of await formatRecording(name)) {
        expect(new Set(news.map(({ id }) => id)).size, name).toBe(news.length);
        const times = news.map(({ at }) => at);
        expect(times.slice(0, -1), name).toEqual(times.slice(0, -1).toSorted((a, b) => a - b));
        for (const line of lines) {
          expect(line, name).not.toMatch(/\p{Cs}/u);
          expect(line.split('\n').length, name).toBeLessThanOrEqual(2);
        }
        const kept = parseRecord(JSON.parse(JSON.stringify(told)), 0);
        expect(kept, name).toEqual(told);
        const rest = { session, timeline: undefined, told: kept, announce: DEFAULT_ANNOUNCE, now: NOW };
        expect(findNotifications(rest), name).toEqual([]);
      }
  });
});

describe('notifications', () => {
  it('leave out what happened before troupe started', async () => {
    const [said] = await formatRecording('2.1.325-single');
    if (!said) throw new Error('nothing recorded');
    const asked = { session: said.session, timeline: undefined, announce: DEFAULT_ANNOUNCE, now: NOW };
    expect(findNotifications({ ...asked, told: emptyRecord(NOW) })).toEqual([]);
    expect(findNotifications({ ...asked, told: emptyRecord(0) }).map(({ kind }) => kind)).toEqual([
      'spawned',
      'ended',
      'rest',
    ]);
  });

  it('report a pause while other agents run, and then that they are done', async () => {
    const [said] = await formatRecording('2.1.325-background');
    if (!said) throw new Error('nothing recorded');
    const { session } = said;
    const others = session.subagents.map((agent) => ({ ...agent, status: 'running' as const }));
    const busy = { ...session, subagents: others };
    const ask = (one: typeof session, told = emptyRecord(0)) =>
      findNotifications({
        session: one,
        timeline: undefined,
        told,
        announce: { ...DEFAULT_ANNOUNCE, spawns: false, results: false },
        now: NOW,
      });
    const [first] = ask(busy);
    if (first?.kind !== 'rest') throw new Error('no rest');
    const told = recordSent(emptyRecord(0), first);
    expect(ask(busy, told)).toEqual([]);
    expect(ask(session, told)).toHaveLength(1);
    const longer = { ...session, main: { ...session.main, messageCount: (session.main.messageCount ?? 0) + 2 } };
    const [rest] = ask(session, told);
    if (rest?.kind !== 'rest') throw new Error('no rest');
    const rested = recordSent(told, rest);
    expect(ask(session, rested)).toEqual([]);
    // A turn that was over before anybody looked.
    expect(ask(longer, rested)).toHaveLength(1);
    const atWork = { ...session, main: { ...session.main, status: 'running' as const } };
    expect(settleNotice(told, atWork).notice).toBeNull();
    expect(settleNotice(told, session)).toBe(told);
  });

  describe('of an end', () => {
    const OUT_OF_SIGHT = 'silent for over 5 minutes; its process runs in another container, out of sight';
    const asked = { timeline: undefined, announce: { ...DEFAULT_ANNOUNCE, spawns: false, notices: false }, now: NOW };

    async function lostAgent() {
      const [said] = await formatRecording('2.1.325-hang-sigkill');
      if (!said) throw new Error('nothing recorded');
      const withRun = (run: Partial<RunReport>): SessionDetail => ({
        ...said.session,
        subagents: said.session.subagents.map((agent) => ({
          ...agent,
          ...(run.status && { status: run.status }),
          runs: agent.runs.map((before) => ({ ...before, ...run })),
        })),
      });
      const linesOfRun = (session: SessionDetail, more: object = {}) =>
        findNotifications({ ...asked, session, told: emptyRecord(0), ...more }).map((news) => [
          formatNotification(news, session, '').text,
          isLoud(news),
        ]);
      return { session: said.session, withRun, linesOfRun };
    }

    it('say nothing when the end is uncertain, and never call it a failure', async () => {
      const { session, withRun, linesOfRun } = await lostAgent();
      expect(linesOfRun(session)).toEqual([['❌ Subagent [Hangs] failed — no output returned', true]]);
      // From within a container, a process outside it looks like one that is gone.
      const unclear = ['❔ Subagent [Hangs] — end not seen, outcome unknown', false];
      expect(linesOfRun(session, { seesAllProcesses: false })).toEqual([unclear]);
      const interrupted = 'interrupted as its session ended, and no end was written';
      expect(linesOfRun(withRun({ reason: interrupted }))).toEqual([unclear]);
      const other = 'at work in another session when this one was copied from it';
      for (const reason of [OUT_OF_SIGHT, other, 'a reason that nobody has thought of', null])
        expect(linesOfRun(withRun({ reason })), String(reason)).toEqual([]);
    });

    it('correct it once under the same id when it turns out wrong', async () => {
      const { session, withRun } = await lostAgent();
      let told = emptyRecord(0);
      const ids = new Set<string>();
      const sayAll = (now: SessionDetail): readonly string[] => {
        const found = findNotifications({ ...asked, session: now, told });
        told = parseRecord(JSON.parse(JSON.stringify(found.reduce(recordSent, told))), 0);
        for (const { id } of found) ids.add(id);
        return found.map((news) => `${revisionOf(news)} ${formatNotification(news, now, '').text}`);
      };
      const was = ' (corrected: it was reported as ended without a result)';
      expect(sayAll(session)).toEqual(['1 ❌ Subagent [Hangs] failed — no output returned']);
      expect(sayAll(session)).toEqual([]);
      expect(sayAll(withRun({ reason: OUT_OF_SIGHT }))).toEqual([]);
      expect(sayAll(withRun({ status: 'running', reason: null }))).toEqual([
        `2 ▶️ Subagent [Hangs] is still at work${was}`,
      ]);
      expect(sayAll(session)).toEqual([]);
      expect(sayAll(withRun({ status: 'completed', reason: null }))).toEqual([`3 ✅ Subagent [Hangs] completed${was}`]);
      expect(sayAll(withRun({ status: 'completed', reason: null }))).toEqual([]);
      expect(sayAll(withRun({ status: 'running', reason: null }))).toEqual([]);
      expect(sayAll(withRun({ status: 'failed', reason: 'API Error' }))).toEqual([
        `4 ❌ Subagent [Hangs] failed — API Error${was}`,
      ]);
      expect(ids.size).toBe(1);
    });
  });
});
