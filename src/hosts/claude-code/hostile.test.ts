import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTree, mainAgentOf, type SessionTree } from '../../core/index.ts';
import { runsOf } from '../../lib/testing/seed.ts';
import type { LocatedSession } from '../index.ts';
import { bytesOf, eventsOf, type Fed, ledgerOf, MUCH_LATER } from '../testing/feed.ts';
import { claudeCode } from './index.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function open(name: string): Promise<{ readonly session: LocatedSession; readonly fed: readonly Fed[] }> {
  const { sessions } = await claudeCode.locate(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));
  const session = sessions[0]!;
  return { session, fed: bytesOf(session) };
}

const treeOf = (session: LocatedSession, fed: readonly Fed[]): SessionTree =>
  buildTree(
    ledgerOf(
      session,
      fed.flatMap((one) => eventsOf(claudeCode, session, one)),
    ),
    { now: MUCH_LATER },
  );

/** The tree without what differs when a damaged line is added: places, and the diagnostics themselves. */
const shapeOf = ({ agents, title }: SessionTree): unknown => ({
  title,
  agents: agents.map(({ id, link, status, kind, toolCallCount, messageCount, usage, runs }) => ({
    ...{
      id,
      parent: link.parent,
      call: link.call,
      status,
      kind,
      toolCallCount,
      messageCount,
      usage,
      runs: runs.length,
    },
  })),
});

const codesOf = ({ diagnostics }: SessionTree): Record<string, number> =>
  Object.fromEntries(diagnostics.map(({ code, count }) => [code, count]));

/** The main transcript with `change` made to its lines. */
async function withLines(name: string, change: (lines: string[]) => string[]): Promise<SessionTree> {
  const { session, fed } = await open(name);
  return treeOf(
    session,
    fed.map((one, index) =>
      index === 0 ? { ...one, bytes: encode(change(decode(one.bytes).split('\n')).join('\n')) } : one,
    ),
  );
}

describe('input that hurts', () => {
  const name = '2.1.325-single';

  it.each([
    ['a byte order mark', (lines: string[]) => [`\ufeff${lines[0]}`, ...lines.slice(1)], {}],
    ['carriage returns', (lines: string[]) => lines.map((line) => (line === '' ? line : `${line}\r`)), {}],
    ['blank lines', (lines: string[]) => lines.flatMap((line) => ['', '   ', line]), {}],
    ['comments', (lines: string[]) => ['// made by hand', '# really', ...lines], { 'comment-line': 2 }],
    ['zeroes around a line', (lines: string[]) => lines.map((line) => (line === '' ? line : `\0\0\0${line}\0`)), {}],
    [
      'a line of zeroes',
      (lines: string[]) => [...lines.slice(0, 5), '\0'.repeat(4096), ...lines.slice(5)],
      { 'nul-bytes': 1 },
    ],
    [
      'broken JSON',
      (lines: string[]) => [...lines.slice(0, 9), '{"type":"user",', ...lines.slice(9)],
      { 'invalid-json': 1 },
    ],
    ['JSON that is no record', (lines: string[]) => ['[1,2]', '"text"', '7', 'null', ...lines], { 'not-a-record': 4 }],
    ['an unknown type', (lines: string[]) => ['{"type":"dream","sessionId":"x"}', ...lines], { 'unknown-record': 1 }],
  ])('%s: counted, and nothing else changes', async (_what, change, codes) => {
    const tree = await withLines(name, change);
    expect(shapeOf(tree)).toEqual(shapeOf(await withLines(name, (lines) => lines)));
    expect(codesOf(tree)).toEqual(codes);
  });

  it('lines glued together are taken apart', async () => {
    const tree = await withLines(name, (lines) => {
      const at = lines.findIndex((line) => line.includes('"type":"assistant"'));
      return [...lines.slice(0, at), `${lines[at]}${lines[at + 1]}`, ...lines.slice(at + 2)];
    });
    expect(shapeOf(tree)).toEqual(shapeOf(await withLines(name, (lines) => lines)));
    expect(codesOf(tree)).toEqual({ 'glued-lines': 1 });
  });

  it('a good line behind a torn one is saved', async () => {
    const tree = await withLines(name, (lines) => {
      const at = lines.findIndex((line) => line.includes('"type":"assistant"'));
      return [
        ...lines.slice(0, at),
        `{"parentUuid":"x","isSidechain":false,"message":{"role":"user","content":"half a ${lines[at]}`,
        ...lines.slice(at + 1),
      ];
    });
    expect(shapeOf(tree)).toEqual(shapeOf(await withLines(name, (lines) => lines)));
    expect(codesOf(tree)).toEqual({ 'glued-lines': 1 });
  });

  it('a good line behind a torn one that nobody needed is saved', async () => {
    const tree = await withLines(name, (lines) => {
      const at = lines.findIndex((line) => line.includes('"type":"assistant"'));
      return [...lines.slice(0, at), `{"type":"tools-used","to${lines[at]}`, ...lines.slice(at + 1)];
    });
    expect(shapeOf(tree)).toEqual(shapeOf(await withLines(name, (lines) => lines)));
    expect(codesOf(tree)).toEqual({ 'glued-lines': 1 });
  });

  it('half a surrogate pair is text like any other', async () => {
    const tree = await withLines(name, (lines) => lines.map((line) => line.replaceAll('Please', '\\ud83d')));
    expect(tree.title).toBe('\ud83d do the job. [[play:single]]');
    expect(codesOf(tree)).toEqual({});
  });

  it('a clock that runs backwards changes no count and no link', async () => {
    const { session, fed } = await open('2.1.325-nested');
    const backwards = fed.map((one) => ({
      ...one,
      bytes: encode(
        decode(one.bytes).replace(
          /06:50:(\d\d)/g,
          (_all, seconds) => `06:50:${String(59 - Number(seconds)).padStart(2, '0')}`,
        ),
      ),
    }));
    const counts = (tree: SessionTree): unknown =>
      tree.agents
        .map(({ id, link, toolCallCount, messageCount, usage, depth }) => ({
          id,
          parent: link.parent,
          toolCallCount,
          messageCount,
          usage,
          depth,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(counts(treeOf(session, backwards))).toEqual(counts(treeOf(session, fed)));
  });
});

describe('quoted text never fools it', () => {
  it('prompts, results and answers that quote ids, notices and whole lines give the same tree', async () => {
    const { session, fed } = await open('2.1.50-inter-parallel');
    const lines = decode(fed[0]!.bytes).split('\n');
    const quotes = [
      'agentId: a0000000 (for resuming)',
      '<task-notification>\n<task-id>af48b7d93b10bc87d</task-id>\n<status>failed</status>\n</task-notification>',
      lines.find((line) => line.includes('agent_progress')) ?? '',
      lines.find((line) => line.includes('"tool_use"')) ?? '',
      '[Request interrupted by user]',
    ].join('\n');
    const quoted = JSON.stringify(quotes).slice(1, -1);
    // Into every text of the conversation: behind what stands there, as a model or a person would quote it.
    const poisoned = fed.map((one) =>
      one.source.shape === 'document'
        ? one
        : {
            ...one,
            bytes: encode(
              decode(one.bytes).replace(
                /("(?:text|content|prompt|stdout)":")((?:[^"\\]|\\.)+)"/g,
                `$1$2 ${quoted.replaceAll('$', '$$$$')}"`,
              ),
            ),
          },
    );
    const plain = treeOf(session, fed);
    const tree = treeOf(session, poisoned);
    expect(shapeOf(tree)).toEqual(shapeOf({ ...plain, title: tree.title! }));
  });
});

describe('fuzz', () => {
  it('cut at every byte: every whole line counts', async () => {
    const { session, fed } = await open('2.1.20-nested');
    const { bytes, source } = fed[0]!;
    const others = fed.slice(1);
    const expected = new Map<number, unknown>();
    for (let cut = 0; cut <= bytes.length; cut += cut < 6000 ? 1 : 37) {
      const tree = treeOf(session, [{ source, bytes: bytes.slice(0, cut) }, ...others]);
      const whole = cut === 0 ? 0 : bytes.lastIndexOf(10, cut - 1) + 1;
      const rest = decode(bytes.slice(whole, cut));
      const kept = isJson(rest) ? cut : whole;
      if (!expected.has(kept))
        expected.set(kept, shapeOf(treeOf(session, [{ source, bytes: bytes.slice(0, kept) }, ...others])));
      expect(shapeOf(tree)).toEqual(expected.get(kept));
    }
  });

  it('bytes flipped: no crash, no hang, and the other files as before', async () => {
    const { session, fed } = await open('2.1.325-nested');
    const plain = treeOf(session, fed);
    const spoiled = fed[1]!;
    const untouched = plain.agents.filter(({ sources }) => !sources.includes(spoiled.source.id));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(spoiled.bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        (flips) => {
          const bytes = spoiled.bytes.slice();
          for (const [at, value] of flips) bytes[at] = value;
          const tree = treeOf(
            session,
            fed.map((one) => (one === spoiled ? { ...one, bytes } : one)),
          );
          for (const agent of untouched) {
            const now = tree.agents.find(({ id }) => id === agent.id);
            expect(now?.messageCount).toBe(agent.messageCount);
            expect(now?.usage).toEqual(agent.usage);
          }
        },
      ),
      { numRuns: runsOf(150) },
    );
  });

  it('lines shuffled between files, files doubled and in any order: no crash, and every agent that speaks is there', async () => {
    const { session, fed } = await open('2.1.325-nested');
    const transcripts = fed.filter(({ source }) => source.shape === 'lines');
    const lines = transcripts.flatMap(({ bytes }) =>
      decode(bytes)
        .split('\n')
        .filter((line) => line !== ''),
    );
    fc.assert(
      fc.property(
        fc.shuffledSubarray(lines, { minLength: lines.length }),
        fc.integer({ min: 1, max: 2 }),
        (shuffled, times) => {
          const share = Math.ceil(shuffled.length / transcripts.length);
          const dealt = transcripts.map((one, index) => ({
            ...one,
            bytes: encode(shuffled.slice(index * share, (index + 1) * share).join('\n')),
          }));
          const tree = treeOf(
            session,
            Array(times)
              .fill([...dealt, ...fed.filter(({ source }) => source.shape === 'document')])
              .flat(),
          );
          expect(tree.agents[0]?.id).toBe(mainAgentOf(session.id));
          expect(tree.agents.length).toBeGreaterThanOrEqual(4);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('random bytes are no session, and no crash', async () => {
    const { session, fed } = await open('2.1.325-single');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        treeOf(
          session,
          fed.map((one) => ({ ...one, bytes })),
        );
      }),
      { numRuns: 300 },
    );
    expect(readFileSync(fed[0]!.source.path).length).toBeGreaterThan(0);
  });
});

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
