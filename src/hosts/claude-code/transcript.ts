// The conversation of one agent in one file: where its messages stand, and some of them read at a time.

import {
  type AgentId,
  mainAgentOf,
  type ToolResultBlock,
  type ToolUseBlock,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../../core/index.ts';
import { asInstant, asObject, asText } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import { readLines, readRange } from '../../lib/read-lines.ts';
import type { ByteRange, LocatedSession, LocatedSource, MessageLines, OpenTranscript } from '../index.ts';
import { createKindCount, followPlaces, type PlaceList } from '../shared/index.ts';
import { reportIn, withoutReminders } from './host-text.ts';
import { agentIdOf, speakerOf } from './line-context.ts';
import { changesOfCall, speechIn, toBlocks } from './message-blocks.ts';
import { isSpokenByHarness } from './parse-user.ts';
import { isKnownType } from './read-transcript.ts';
import { parseLine, parseWhole, type RawRecord, recordsIn, textOf, typeOf } from './record.ts';
import { isSpawning } from './tools.ts';

export function openTranscript(session: LocatedSession, source: LocatedSource, agent: AgentId): OpenTranscript {
  const owner = source.agent ?? mainAgentOf(session.id);
  const isTeammates = source.role === 'teammate';
  const createFinder = () => createSpeechFinder({ owner, isTeammates, session: session.id }, agent);
  const followed = followPlaces(source, () => createPlaceList(createFinder()));
  let { leftOut } = followed;
  return {
    ...followed,
    places() {
      leftOut = followed.leftOut;
      return followed.places();
    },
    leftOut: () => leftOut(),
    read: (places, options) => readPlaces(source.path, places, agent, options?.withMedia ?? false),
    // In the file of another one most lines are none of this agent's: their bodies need not be parsed.
    ...(owner === agent && {
      async readAll(options?: { readonly withMedia: boolean }) {
        const finder = createFinder();
        leftOut = finder.leftOut;
        const built = createMessageBuilder(options?.withMedia ?? false);
        await readLines(source.path, (line) => {
          for (const record of finder.find(line, parseWhole)) built.add(record);
        });
        return [...built.messages().values()];
      },
    }),
  };
}

function createPlaceList({ find, leftOut }: ReturnType<typeof createSpeechFinder>): PlaceList {
  const places = new Map<string, MessageLines & { readonly lines: ByteRange[] }>();
  const sort = createMessageSorter();
  return {
    add(line) {
      for (const part of find(line, parseLine).flatMap(sort)) {
        const place = places.get(part.id) ?? { ...part, lines: [] };
        places.set(part.id, place);
        // A torn last line comes again when it has grown.
        if (place.lines.at(-1)?.offset === line.offset) place.lines.pop();
        place.lines.push({ offset: line.offset, length: line.length });
      }
    },
    all: () => [...places.values()],
    leftOut,
  };
}

/** What one agent said and was told, of the lines of a file. */
function createSpeechFinder(of: Parameters<typeof speakerOf>[1], agent: AgentId) {
  const inline = new Map<string, AgentId>();
  /** By offset: a torn last line comes again. */
  const unknownTypes = new Map<number, string>();
  return {
    find(line: Line, parse: (bytes: Uint8Array) => unknown): readonly RawRecord[] {
      return recordsIn(line, parse).records.flatMap(({ record, offset }) => {
        const isOwn = speakerOf(record, of, inline) === agent;
        const type = typeOf(record);
        if (isOwn && !isKnownType(type)) unknownTypes.set(line.offset + offset, type ?? 'no type');
        const spoken = speechIn((isOwn ? record : copyOf(record, agent)) ?? {});
        return spoken ? [spoken] : [];
      });
    },
    leftOut() {
      const counts = createKindCount();
      for (const type of unknownTypes.values()) counts.add(type);
      return counts.all();
    },
  };
}

/** Bytes between two wanted lines that are read along rather than skipped. */
const GAP_BYTES = 64 * 1024;
/** So much is read in one go, unless one line alone is longer. */
const SPAN_BYTES = 4 * 1024 * 1024;

async function readPlaces(
  file: string,
  places: readonly MessageLines[],
  agent: AgentId,
  withMedia: boolean,
): Promise<readonly TranscriptMessage[]> {
  const lines = new Map(places.flatMap((place) => place.lines).map((line) => [line.offset, line]));
  const inOrder = [...lines.values()].sort((a, b) => a.offset - b.offset);
  const built = createMessageBuilder(withMedia);
  for (const span of spansOf(inOrder)) {
    const [first, last] = [span[0], span.at(-1)];
    if (!first || !last) continue;
    const bytes = await readRange(file, first.offset, last.offset + last.length - first.offset);
    for (const { offset, length } of span) {
      const from = offset - first.offset;
      const line = { bytes: bytes.subarray(from, from + length), offset, length, torn: false, tooLong: false };
      for (const { record } of recordsIn(line, parseWhole).records)
        built.add(speechIn(copyOf(record, agent) ?? record) ?? record);
    }
  }
  const messages = built.messages();
  return places.flatMap(({ id }) => messages.get(id) ?? []);
}

/** Lines that lie close together are read in one go. */
function spansOf(lines: readonly ByteRange[]): readonly (readonly ByteRange[])[] {
  const spans: ByteRange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const from = spans.at(-1)?.[0]?.offset ?? 0;
    if (line.offset - end > GAP_BYTES || line.offset + line.length - from > SPAN_BYTES) spans.push([]);
    spans.at(-1)?.push(line);
    end = line.offset + line.length;
  }
  return spans;
}

type Draft = TranscriptMessage & { readonly content: TranscriptBlock[] };

function createMessageBuilder(withMedia: boolean) {
  const messages = new Map<string, Draft>();
  const byCall = new Map<string, Draft>();
  /** A line may stand there twice: files are copied and glued together. */
  const lines = new Set<string>();
  return {
    /** In their order. Nothing of the record is kept but what is said in it. */
    add(record: RawRecord): void {
      const line = asText(record['uuid']);
      const draft = draftOf(record, messages);
      if (!draft || (line !== undefined && lines.has(line))) return;
      if (line !== undefined) lines.add(line);
      for (const block of toBlocks(record, { isHarness: draft.role === 'system', withMedia })) {
        const home = block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined;
        if (home && block.type === 'tool_result') putBehindCall(home.content, block);
        else draft.content.push(block);
        if (block.type === 'tool_use') byCall.set(block.tool_use_id, draft);
      }
      if (draft.content.length > 0) messages.set(draft.id, draft);
    },
    /** By id. */
    messages: (): ReadonlyMap<string, TranscriptMessage> => messages,
  };
}

type MessagePart = Pick<MessageLines, 'id' | 'timestamp'>;

/** Which messages a record adds to, without keeping any body: its own, and those whose calls it holds the results of. */
function createMessageSorter(): (record: RawRecord) => readonly MessagePart[] {
  const byCall = new Map<string, MessagePart>();
  return (record) => {
    const draft = draftOf(record, new Map());
    if (!draft) return [];
    const own: MessagePart = { id: draft.id, timestamp: draft.timestamp };
    const parts = new Map<string, MessagePart>();
    for (const block of toBlocks(record, { isHarness: draft.role === 'system', withMedia: false })) {
      const part = (block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined) ?? own;
      parts.set(part.id, part);
      if (block.type === 'tool_use') byCall.set(block.tool_use_id, own);
    }
    return [...parts.values()];
  };
}

/** An agent whose own file is gone: its parent's `progress` lines hold copies (2.1.9 to 2.1.83). */
function copyOf(record: RawRecord, agent: AgentId): RawRecord | undefined {
  const data = record['type'] === 'progress' ? asObject(record['data']) : undefined;
  const native = data?.['type'] === 'agent_progress' ? asText(data['agentId']) : undefined;
  return native !== undefined && agentIdOf(native) === agent ? asObject(data?.['message']) : undefined;
}

function draftOf(record: RawRecord, known: ReadonlyMap<string, Draft>): Draft | undefined {
  const message = asObject(record['message']);
  const isReply = record['type'] === 'assistant';
  const id = (isReply ? asText(message?.['id']) : undefined) ?? asText(record['uuid']);
  if (id === undefined || (!message && record['type'] !== 'system')) return undefined;
  return (
    known.get(id) ?? {
      id,
      role: isReply ? 'assistant' : isHarness(record) ? 'system' : 'user',
      timestamp: timeOf(record),
      model: asText(message?.['model']) ?? null,
      content: [],
    }
  );
}

/** How the program writes it, and a day that every month has: to write it anew takes longer than all else that is read of a line. */
const AS_WRITTEN = /^\d{4}-\d\d-(?:0\d|1\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/;

/** As every time that leaves troupe is written. */
function timeOf(record: RawRecord): string | null {
  const said = record['timestamp'];
  const at = asInstant(said);
  if (at === undefined) return null;
  return typeof said === 'string' && AS_WRITTEN.test(said) ? said : new Date(at).toISOString();
}

/** Those who hold results alone are drafts that stay empty. */
function isHarness(record: RawRecord): boolean {
  if (record['type'] !== 'user') return record['type'] === 'system';
  return isSpokenByHarness(record, textOf(asObject(record['message'])?.['content']));
}

function putBehindCall(content: TranscriptBlock[], result: ToolResultBlock): void {
  const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === result.tool_use_id);
  const call = content[at];
  if (call?.type !== 'tool_use') return;
  const { text, reminders } = isSpawning(call.name)
    ? { text: reportIn(result.text), reminders: [] }
    : withoutReminders(result.text);
  content.splice(at + 1, 0, withChanges(call, { ...result, text }), ...reminders);
}

function withChanges({ name, input }: ToolUseBlock, result: ToolResultBlock): ToolResultBlock {
  if (result.is_error || result.changes) return result;
  const changes = changesOfCall(name, input, result.text);
  return changes.length === 0 ? result : { ...result, changes };
}
