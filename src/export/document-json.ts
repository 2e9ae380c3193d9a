import type { DocumentHead, FlatTranscript, Transcript } from '../core/index.ts';
import { asObject, isObject, type JsonObject, parseObject } from '../lib/json.ts';
import { readLines } from '../lib/read-lines.ts';

/**
 * An exported session as JSON, piece by piece: one message a line, and never more than one message in a piece. The same
 * input gives the same bytes.
 */
export async function* formatDocument(
  head: DocumentHead,
  transcripts: AsyncIterable<FlatTranscript> | Iterable<FlatTranscript>,
): AsyncGenerator<string> {
  /** How many transcripts are open, and wait for their sub-agents. */
  let open = 0;
  for await (const { depth, transcript } of transcripts) {
    const level = Math.min(depth, open);
    if (open > level) yield `${'\n]}'.repeat(open - level)},\n`;
    else if (open > 0) yield '\n';
    yield `{${level === 0 ? `${fieldsOf(head, HEAD)},\n` : ''}${fieldsOf(transcript, FIELDS)},"messages":[`;
    let separator = '\n';
    for (const message of transcript.messages) {
      yield separator + JSON.stringify(message);
      separator = ',\n';
    }
    yield '\n],"sub_agents":[';
    open = level + 1;
  }
  if (open > 0) yield `${'\n]}'.repeat(open)}\n`;
}

const HEAD = ['format', 'version', 'session', 'skipped'] as const satisfies readonly (keyof DocumentHead)[];

/** In the order in which they are written, whatever order an object has them in. */
const FIELDS = [
  'session_id',
  'parent_session_id',
  'agent',
  'model',
  'title',
  'created_at',
  'updated_at',
  'author',
  'usage',
  'diff_stats',
  'known_from',
  'left_out',
] as const satisfies readonly (keyof Transcript)[];

function fieldsOf<T extends object>(value: T, keys: readonly (keyof T & string)[]): string {
  return keys.map((key) => `"${key}":${JSON.stringify(value[key])}`).join(',');
}

/**
 * Follows the references of an exported document as it lies there. In words, what leads nowhere. Line by line, as
 * `formatDocument` writes it: the whole of it may be larger than there is room for.
 */
export async function checkDocument(file: string): Promise<readonly string[]> {
  const found: Found = { transcripts: new Set(), skipped: new Set(), listed: [], parents: [], doors: [] };
  await readLines(file, ({ bytes }) => readLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), found));
  const { transcripts, skipped, listed, parents, doors } = found;
  const isThere = (agent: string): boolean => transcripts.has(agent) || skipped.has(agent);
  return [
    ...(transcripts.size === 0 ? ['holds no transcript'] : []),
    ...listed.filter((agent) => !isThere(agent)).map((agent) => `lists ${agent}, whose transcript is not there`),
    ...parents
      .filter(({ parent }) => !isThere(parent))
      .map(({ agent, parent }) => `has ${agent} below ${parent}, which is not there`),
    ...[...new Set(doors)].filter((agent) => !isThere(agent)).map((agent) => `refers to ${agent}, which is not there`),
  ];
}

interface Found {
  readonly transcripts: Set<string>;
  readonly skipped: Set<string>;
  readonly listed: string[];
  readonly parents: { readonly agent: string; readonly parent: string }[];
  /** Agents that calls refer to. */
  readonly doors: string[];
}

const BEHIND_MESSAGES = '"messages":[';

/** Most lines are messages that made no agent: nothing of them needs to become text. */
function readLine(line: Buffer, found: Found): void {
  if (line.indexOf('{"format":') === 0) readHead(parsed(line, '}'), found);
  else if (line.lastIndexOf(BEHIND_MESSAGES) === line.length - BEHIND_MESSAGES.length) {
    const { session_id: agent, parent_session_id: parent } = parsed(line, ']}');
    if (typeof agent !== 'string') return;
    found.transcripts.add(agent);
    if (typeof parent === 'string') found.parents.push({ agent, parent });
  } else if (line.includes('"sub_agent_ref')) {
    for (const block of objectsIn(parsed(line, '')['content'])) {
      const refs = [block['sub_agent_ref'], ...objectsIn(block['sub_agent_refs'])];
      found.doors.push(...idsIn(refs, 'agent_id'));
    }
  }
}

function readHead({ session, skipped }: JsonObject, found: Found): void {
  found.listed.push(...idsIn(objectsIn(asObject(session)?.['agents']), 'id'));
  for (const agent of idsIn(objectsIn(skipped), 'agent_id')) found.skipped.add(agent);
}

/** A line is a piece of an object: what it lacks is added. */
function parsed(line: Buffer, end: string): JsonObject {
  const text = line.toString('utf8').replace(/,$/, '') + end;
  return parseObject(text.startsWith('{') ? text : `{${text}`) ?? {};
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function idsIn(values: readonly unknown[], name: string): readonly string[] {
  return values.flatMap((value) => {
    const id = asObject(value)?.[name];
    return typeof id === 'string' ? [id] : [];
  });
}
