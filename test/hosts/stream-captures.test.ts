import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { agentsTold, replayStream } from '../../src/sessions/stream/testing/replay-stream.ts';

// TROUPE_CAPTURES: a folder of recordings with a truth.json. Every stream in it, alone and with the files beside it.

const captures = process.env['TROUPE_CAPTURES'] ?? '';

interface Truth {
  readonly host: string;
  readonly version: string;
  readonly scenario: string;
  readonly path: string;
  readonly agents: readonly {
    readonly key: string;
    readonly id: string;
    readonly description: string | null;
    readonly prompt?: string;
    readonly type: string | null;
    readonly parent: string | null;
    readonly depth: number;
    readonly kind: string;
    readonly endStatus: string;
  }[];
}

/** Lines of Codex tell no times: its rollouts are named by when they began. */
function beginOf(folder: string): number | undefined {
  const sessions = path.join(folder, 'sessions');
  const names = existsSync(sessions) ? readdirSync(sessions, { recursive: true }).map(String) : [];
  const times = names.flatMap((name) => {
    const [, day, hours, minutes, seconds] = /rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/.exec(name) ?? [];
    return day === undefined ? [] : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** What a stream cannot know, or knows better than the files: docs/STREAM.md says it, too. */
const LIMITS: readonly { readonly of: RegExp; readonly withDisk?: true; readonly why: string }[] = [
  {
    of: /claude-code\/.*\/hang-sigint stream/,
    withDisk: true,
    why: 'the program prints that it stopped the agent; its files do not say it',
  },
  { of: /claude-code\/.*\/orphan-(forked|resumed) stream/, withDisk: true, why: 'the agent is of an earlier run' },
  { of: /claude-code\/2\.1\.197\/nested-deep stream/, why: 'whose an agent of the third level is, is not printed' },
  { of: /claude-code\/.*\/workflow stream/, why: 'agents of workflows are not printed' },
  { of: /opencode\/1\.[12]\.\d+\/failing stream/, why: 'a failed agent is printed as completed' },
  {
    of: /opencode\/.*\/(background|hang-sigint|hang-sigkill|nested) stream/,
    why: 'calls are printed when they are over, and nothing of what is below',
  },
  { of: /codex\/.*\/(hang-sigint|nested) stream/, why: 'only the main thread is printed' },
  { of: /codex\/.*\/v2-/, why: 'agents of the second version are not printed' },
  { of: /gemini\/.*\/failing stream/, why: 'a failed agent is printed as a success' },
];

function limitOf(place: string, name: string, withDisk: boolean): string | undefined {
  return LIMITS.find((limit) => limit.of.test(`${place} ${name}`) && (!withDisk || limit.withDisk))?.why;
}

const rows: string[] = [];
afterAll(() => process.stdout.write(`${rows.join('\n')}\n`));

const truths: readonly Truth[] =
  captures === '' ? [] : JSON.parse(readFileSync(path.join(captures, 'truth.json'), 'utf8'));

describe.skipIf(captures === '')('recorded streams', () => {
  for (const truth of truths)
    for (const name of ['stream.jsonl', 'duplex.jsonl', 'events.jsonl']) {
      const folder = path.join(captures, truth.path);
      const file = path.join(folder, name);
      if (!existsSync(file)) continue;
      for (const withDisk of [false, true])
        it(`${truth.path} ${name}${withDisk ? ' with its files' : ''}`, async () => {
          // These hosts carry no description.
          const labelled = !['codex', 'gemini'].includes(truth.host);
          const expected = truth.agents
            .filter(({ kind }) => kind !== 'main' && kind !== 'internal')
            .map(
              ({ description, prompt, depth, endStatus }) => `${depth} ${labelled ? description : prompt} ${endStatus}`,
            );
          const root =
            ['config', 'gemini', 'projects/..'].map((one) => path.join(folder, one)).find(existsSync) ?? folder;
          const { events } = await replayStream(file, { root: withDisk ? root : undefined, begin: beginOf(folder) });
          const told = agentsTold(events);
          const seen = told.map(
            ({ depth, description, prompt, ends }) =>
              `${depth} ${labelled ? description : prompt} ${ends.at(-1)?.replace('lost', 'unknown')}`,
          );
          const missing = expected.filter((one) => !seen.includes(one));
          const extra = seen.filter((one) => !expected.includes(one));
          const isSame = missing.length === 0 && extra.length === 0 && seen.length === expected.length;
          const named = told.filter(({ id }) => id !== null).length;
          rows.push(
            [
              truth.path,
              name,
              withDisk ? 'disk' : 'alone',
              `${seen.length}/${expected.length}`,
              `named ${named}`,
              isSame
                ? 'same'
                : `${limitOf(truth.path, name, withDisk)}: MISSING ${missing.join(', ')} EXTRA ${extra.join(', ')}`,
            ].join(' | '),
          );
          if (!isSame) expect(limitOf(truth.path, name, withDisk), rows.at(-1)).toBeDefined();
          for (const agent of told) expect(agent.isTidy, JSON.stringify(agent)).toBe(true);
        });
    }
});
