import {
  type AgentReport,
  cleanLine,
  type SessionReport,
  type SkippedAgent,
  type TimelineCall,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../../core/index.ts';
import { isProse, partsOf } from '../../core/transcript/index.ts';
import { digestText } from '../../lib/digest.ts';
import { getOrAdd } from '../../lib/group.ts';

/** Which file holds what: one plan for every format, so that all of them have the same links. */
export interface PagePlan {
  /** In the order of the tree, main first; only agents with something to read. */
  readonly pages: readonly AgentPages[];
  find(agent: string): AgentPages | undefined;
  /** Of one that has no page. */
  whyNot(agent: string): string;
  /** The call that made the agent, in the pages of the one who made it. */
  spawnOf(agent: AgentReport): PlacedCall | undefined;
}

export interface AgentPages {
  readonly agent: AgentReport;
  readonly outline: Outline;
  /** File names without their ending, one for each part. */
  readonly files: readonly string[];
}

interface PlacedCall {
  readonly pages: AgentPages;
  readonly place: PartPlace;
}

export function planPages(
  { agents, skipped }: Pick<SharedSession, 'agents' | 'skipped'>,
  outlines: readonly Outline[],
): PagePlan {
  const outlineOf = new Map(outlines.map((outline) => [outline.agent, outline]));
  const known = agents.flatMap((agent) => {
    const outline = outlineOf.get(agent.id);
    // The main agent's is the first page, whatever stands in it.
    return outline && (outline.messages > 0 || agent.kind === 'main') ? [{ agent, outline }] : [];
  });
  // First pages are named first: a part gives way to an agent whose id happens to be its name.
  const taken = new Set(['index', 'sessions']);
  const stems = known.map(({ agent }) => (agent.kind === 'main' ? 'index' : takeName('agent', agent.id, taken)));
  const pages = known.map(({ agent, outline }, index): AgentPages => {
    const stem = stems[index] ?? 'index';
    const more = outline.parts.slice(1).map((_first, at) => takePart(stem, at + 2, taken));
    return { agent, outline, files: [stem, ...more] };
  });
  const byAgent = new Map(pages.map((page) => [page.agent.id, page]));
  const reasons = new Map(skipped.map((one) => [one.agent_id, one.reason]));
  return {
    pages,
    find: (agent) => byAgent.get(agent),
    whyNot: (agent) => reasons.get(agent) ?? 'nothing of it was written down',
    spawnOf: (agent) => findSpawn(agent, byAgent, pages),
  };
}

/** In the parent's transcript by the call's id; a fork's call may stand in an older relative's. */
function findSpawn(
  { id, parentId, toolUseId }: AgentReport,
  byAgent: ReadonlyMap<string, AgentPages>,
  pages: readonly AgentPages[],
): PlacedCall | undefined {
  const parent = parentId === null ? undefined : byAgent.get(parentId);
  const first = parent ? [parent] : pages;
  for (const page of first) {
    const place = toolUseId === null ? undefined : page.outline.calls.get(toolUseId);
    if (place && page.agent.id !== id) return { pages: page, place };
  }
  return undefined;
}

function partOf({ outline }: AgentPages, message: number): number {
  const part = outline.parts.findLastIndex((first) => first <= message);
  return Math.max(0, part);
}

/** From 1, as people count; the same in every format, and as long as the messages before it are. */
export function messageAnchor(message: number): string {
  return `m-${message + 1}`;
}

export function partAnchor({ message, part }: PartPlace): string {
  return `${messageAnchor(message)}-${part + 1}`;
}

export type PageEnding = 'html' | 'md';

export function hrefOfPart({ files }: AgentPages, part: number, ending: PageEnding): string {
  return `${files[part] ?? files[0]}.${ending}`;
}

export function hrefOfMessage(pages: AgentPages, message: number, ending: PageEnding): string {
  return `${hrefOfPart(pages, partOf(pages, message), ending)}#${messageAnchor(message)}`;
}

export function hrefOfCall({ pages, place }: PlacedCall, ending: PageEnding): string {
  return `${hrefOfPart(pages, partOf(pages, place.message), ending)}#${partAnchor(place)}`;
}

/** A session that is handed on, as far as it is known without its transcripts. */
export interface SharedSession {
  readonly session: SessionReport;
  /** In the order of the tree, main first. */
  readonly agents: readonly AgentReport[];
  readonly timeline: TimelineTicks | undefined;
  readonly skipped: readonly SkippedAgent[];
  readonly handling: Handling;
  /** The index over many sessions, from the folder of this one, without its ending; undefined where there is none. */
  readonly overview?: string | undefined;
}

/** When each agent called its tools; what a picture of it needs, and no words. */
export interface TimelineTicks {
  readonly agents: readonly { readonly id: string; readonly calls: readonly Tick[] }[];
}

export type Tick = Pick<TimelineCall, 'startedAt' | 'outcome'>;

/** What was done to the texts before they became pages. */
interface Handling {
  /** By kind; undefined where nothing was looked for. */
  readonly redacted: readonly Counted[] | undefined;
  /** Shortened by rule; undefined where everything is whole. */
  readonly shortened: readonly Counted[] | undefined;
  /** Records that nobody knows, by type: not passed on. */
  readonly leftOut: readonly Counted[];
}

export interface Counted {
  readonly what: string;
  readonly count: number;
}

/** How much goes onto one page. */
export interface PageSize {
  readonly messages: number;
  readonly characters: number;
}

export const PAGE_SIZE: PageSize = { messages: 400, characters: 1_500_000 };

/** Where a part of a message stands, both from 0. */
export interface PartPlace {
  readonly message: number;
  readonly part: number;
}

/** What other pages have to know of a transcript, so that it need not be kept. */
export interface Outline {
  readonly agent: string;
  readonly messages: number;
  /** The first message of each part. */
  readonly parts: readonly number[];
  /** By the call's id. */
  readonly calls: ReadonlyMap<string, PartPlace>;
  /** What it was asked and what it said last, in a line each, and in which message. */
  readonly asked: string | undefined;
  readonly askedIn: number;
  readonly answered: string | undefined;
  readonly answeredIn: number;
}

export function outlineTranscript(
  { session_id: agent, messages }: Pick<Transcript, 'session_id' | 'messages'>,
  size: PageSize = PAGE_SIZE,
): Outline {
  const calls = new Map<string, PartPlace>();
  for (const [message, one] of messages.entries())
    for (const [index, part] of partsOf(one).entries())
      if (part.kind === 'call') getOrAdd(calls, part.call.id, () => ({ message, part: index }));
  const says = (message: TranscriptMessage): boolean => textOf(message) !== '';
  const askedIn = messages.findIndex((message) => message.role !== 'assistant' && says(message));
  const answeredIn = messages.findLastIndex((message) => message.role === 'assistant' && says(message));
  return {
    agent,
    messages: messages.length,
    parts: cutIntoParts(messages, size),
    calls,
    asked: headLine(messages[askedIn]),
    askedIn,
    answered: headLine(messages[answeredIn]),
    answeredIn,
  };
}

/** Of its calls only some: other pages ask for those that made an agent. */
export function keepCalls(outline: Outline, wanted: ReadonlySet<string>): Outline {
  return { ...outline, calls: new Map([...outline.calls].filter(([id]) => wanted.has(id))) };
}

/** A message that alone is too much for a page has a page of its own. */
function cutIntoParts(messages: readonly TranscriptMessage[], size: PageSize): readonly number[] {
  const parts = [0];
  let [count, characters] = [0, 0];
  for (const [index, message] of messages.entries()) {
    const more = message.content.reduce((sum, block) => sum + sizeOf(block), 0);
    if (count > 0 && (count >= size.messages || characters + more > size.characters)) {
      parts.push(index);
      [count, characters] = [0, 0];
    }
    count++;
    characters += more;
  }
  return parts;
}

function sizeOf(block: TranscriptBlock): number {
  switch (block.type) {
    case 'tool_use':
      return sizeOfValue(block.input, 0);
    case 'image':
      return block.data?.length ?? 0;
    case 'attachment':
      return 0;
    case 'tool_result':
      return (block.media ?? []).reduce((sum, one) => sum + sizeOf(one), block.text.length);
    default:
      return block.text.length;
  }
}

function sizeOfValue(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 16) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOfValue(one, depth + 1), 0);
}

function textOf(message: TranscriptMessage): string {
  return message.content
    .flatMap((block) => (block.type === 'text' || (block.type === 'notice' && isProse(block)) ? block.text : []))
    .join('\n')
    .trim();
}

const LONGEST_LINE = 220;
/** The signs of Markdown that would stand in the way of a single line. */
const SIGNS = /^#{1,6}\s+|^[>*+-]\s+|\*\*|`/gm;

/** Hosts wrap what they hand over in elements of their own: `<teammate-message teammate_id="a" summary="Check the API">`. */
const ENVELOPE = /^<([a-z]+(?:-[a-z]+)+)\b([^>]*)>/;

export function withoutEnvelope(text: string): string {
  const [whole, name, attributes = ''] = ENVELOPE.exec(text.trimStart()) ?? [];
  if (whole === undefined) return text;
  const summary = /\bsummary="([^"]+)"/.exec(attributes)?.[1];
  return summary ?? text.trimStart().slice(whole.length).replaceAll(`</${name}>`, '');
}

const NAME_FIELDS = ['title', 'summary', 'description', 'name', 'subject', 'prompt', 'message', 'text'];

/** A name that is a JSON document, or the beginning of one, is what its title says; '' if it has none. */
export function withoutJson(name: string): string {
  const isJson = /^\s*(?:\{\s*"|\[\s*[{"])/.test(name);
  // `API Error: 429 {"error":{"message":"…"}}`
  const behind = isJson ? 0 : name.search(/\S\s*\{\s*"\w+"\s*:/) + 1;
  if (behind > 0) {
    const said = withoutJson(name.slice(behind));
    return said === '' ? name : `${name.slice(0, behind).replace(/[\s:]+$/, '')}: ${said}`;
  }
  if (!isJson) return name;
  for (const field of NAME_FIELDS) {
    const value = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)`).exec(name)?.[1];
    if (value !== undefined) return value.replace(/\\(.)/g, (_, sign: string) => (/[nrt]/.test(sign) ? ' ' : sign));
  }
  return '';
}

/** The first line that says something, without the signs of its form. */
function headLine(message: TranscriptMessage | undefined): string | undefined {
  if (!message) return undefined;
  const lines = withoutEnvelope(textOf(message).slice(0, 4000))
    .replace(SIGNS, '')
    .split('\n')
    .map((one) => cleanLine(withoutJson(one)));
  const line = lines.find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1).trimEnd()}…`;
}

/** Long enough for every id that a host gives; file systems end at 255 bytes. */
const LONGEST = 64;

/**
 * A name for the files of an agent or the folder of a session that never leaves its folder, whatever the id holds, and is
 * nobody else's, also where upper and lower case are the same. The word in front keeps it from being a name that a system
 * keeps for itself. `taken` are such names in lower case; the new one is added.
 */
export function takeName(kind: 'agent' | 'session', id: string, taken: Set<string>): string {
  const plain = id.replace(/[^A-Za-z0-9_@.-]+/g, '-').replace(/\.{2,}|^\.+|\.+$/g, '-');
  const isWhole = plain === id && id !== '' && id.length <= LONGEST;
  const name = isWhole ? id : `${plain.slice(0, LONGEST / 2)}-${digestText(id).replace('.', '-')}`;
  return takeFree(`${kind}-${name}`, taken);
}

/** Of the second part, and so on. */
export function takePart(stem: string, part: number, taken: Set<string>): string {
  return takeFree(`${stem}-${part}`, taken);
}

function takeFree(base: string, taken: Set<string>): string {
  let name = base;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${base}_${count}`;
  taken.add(name.toLowerCase());
  return name;
}
