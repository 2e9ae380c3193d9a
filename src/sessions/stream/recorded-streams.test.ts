import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from './stream-event.ts';
import { agentsTold, replayStream } from './testing/replay-stream.ts';

interface TrueAgent {
  readonly key: string;
  readonly id: string;
  readonly description: string | null;
  readonly type: string | null;
  readonly prompt: string | null;
  readonly parent: string;
  readonly depth: number;
  readonly endStatus: string;
}

const pathOf = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const TRUTH: Readonly<Record<string, readonly TrueAgent[]>> = JSON.parse(readFileSync(pathOf('truth.json'), 'utf8'));

/** Hosts that never say in a stream what they call an agent; and those that have no word for what it is for. */
const NAMELESS = /^(?:claude-code-1\.0|gemini)/;
const WITHOUT_LABELS = /^(?:codex|gemini)/;

const schemaFile = new URL('../../../schemas/stream-event.schema.json', import.meta.url);
const isEvent = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
  JSON.parse(readFileSync(schemaFile, 'utf8')),
);

/** Without what hangs on the clock. */
function timeless(events: readonly StreamEvent[]): readonly unknown[] {
  return events.map((event) => ({
    ...event,
    at: undefined,
    ...('duration_ms' in event && { duration_ms: undefined }),
  }));
}

describe.each(Object.entries(TRUTH))('%s', (name, agents) => {
  const bytes = readFileSync(pathOf(name));

  it('reports every agent of the recording, its parent and its end', async () => {
    const { events, report } = await replayStream(bytes);
    const keyOf = new Map(agents.map(({ id, key }) => [id, key]));
    const isNamed = !NAMELESS.test(name);
    const isLabelled = !WITHOUT_LABELS.test(name);
    const seen = agentsTold(events).map((agent) => ({
      id: agent.id,
      description: agent.description,
      type: agent.type,
      parent: agent.depth === 1 ? 'main' : keyOf.get(agent.parent ?? ''),
      depth: agent.depth,
      end: agent.ends.at(-1)?.replace('lost', 'unknown'),
    }));
    const expected = agents.map((agent) => ({
      id: isNamed ? agent.id : null,
      description: isLabelled ? agent.description : null,
      type: name.startsWith('codex') ? null : agent.type,
      parent: agent.parent,
      depth: agent.depth,
      end: agent.endStatus,
    }));
    const inOrder = (list: readonly { readonly description: string | null; readonly id: string | null }[]) =>
      list.toSorted((a, b) => (`${a.id}${a.description}` < `${b.id}${b.description}` ? -1 : 1));
    expect(inOrder(seen)).toEqual(inOrder(expected));
    expect(report.malformedLines).toBe(0);
    for (const event of events) expect(isEvent(event), JSON.stringify([event, isEvent.errors])).toBe(true);
    expect(events[0]?.type).toBe('session_started');
    expect(events.at(-1)?.type).toBe('stream_ended');
  });

  it('keeps prompts whole', async () => {
    const { events } = await replayStream(bytes);
    const spawned = events.filter((event) => event.type === 'subagent_spawned');
    for (const { prompt, prompt_is_cut } of spawned) {
      expect(prompt_is_cut).toBe(false);
      expect(agents.map((agent) => agent.prompt ?? prompt)).toContain(prompt);
    }
  });

  it('gives the same events however the bytes are split', async () => {
    const whole = timeless((await replayStream(bytes)).events);
    for (const size of [1, 7, 1000]) {
      const cut = (all: Uint8Array) =>
        Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
          all.subarray(index * size, (index + 1) * size),
        );
      expect(timeless((await replayStream(bytes, { cut })).events)).toEqual(whole);
    }
  });

  it('begins each run before its first event, and ends it once, wherever the stream is cut off', async () => {
    const lines = bytes.toString('utf8').split('\n');
    for (let count = 1; count < lines.length; count += lines.length > 60 ? 5 : 1) {
      const { events } = await replayStream(Buffer.from(lines.slice(0, count).join('\n')));
      for (const agent of agentsTold(events))
        expect(agent.isTidy, `${count} lines: ${JSON.stringify(agent)}`).toBe(true);
    }
  });
});

describe('calls of agents', () => {
  const callsIn = async (name: string) => {
    const { events } = await replayStream(readFileSync(pathOf(name)));
    return events.flatMap((event) =>
      'tool_calls' in event && event.type !== 'subagent_progress' ? event.tool_calls : [],
    );
  };

  it('are counted for second-level agents, whose own lines are not printed', async () => {
    expect(await callsIn('claude-code-2.1.325-nested.jsonl')).toEqual([1, 1, 3]);
    expect(await callsIn('claude-code-2.1.197-nested.jsonl')).toEqual([1, 1, 3]);
  });

  it('add up over the runs of an agent', async () => {
    expect(await callsIn('claude-code-2.1.197-resume.jsonl')).toEqual([1, 2]);
  });
});

describe('unknown lines', () => {
  const name = 'claude-code-2.1.325-nested.jsonl';
  const lines = readFileSync(pathOf(name), 'utf8').trimEnd().split('\n');

  it('are counted, and change nothing else', async () => {
    const clean = await replayStream(Buffer.from(`${lines.join('\n')}\n`));
    const dirty = lines.flatMap((line, index) => (index % 5 === 0 ? ['not json {', line, '', '[1]'] : [line]));
    const { events, report } = await replayStream(Buffer.from(`${dirty.join('\n')}\n{"type":"assis`));
    const count = Math.ceil(lines.length / 5) * 2 + 1;
    expect(report).toMatchObject({ malformedLines: count, subagents: 3 });
    expect(timeless(events.slice(0, -1))).toEqual(timeless(clean.events.slice(0, -1)));
  });

  it('alone give no events', async () => {
    const { events, report } = await replayStream(Buffer.from('hello\nworld\n'));
    expect(events).toEqual([]);
    expect(report).toMatchObject({ host: undefined, lines: 2, malformedLines: 2 });
  });
});

it('recognises an agent of an earlier run that a message woke, although its lines name a call of that run', async () => {
  const { events } = await replayStream(readFileSync(pathOf('claude-code-2.1.287-woken.jsonl')));
  expect(agentsTold(events)).toMatchObject([{ id: 'a7ba20f767edb1967', description: 'Check one file 2' }]);
  expect(agentsTold(events)[0]?.ends.at(-1)).toBe('completed');
});
