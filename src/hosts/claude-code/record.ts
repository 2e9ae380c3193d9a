// One line of a Claude Code transcript as JSON, and the fields that every line may carry. Versions seen: 1.0.60 to 2.1.325.

import { addByModel, type Diagnostic, type ModelUsage } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, shortenStrings } from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';

export type RawRecord = JsonObject;

/**
 * Heavy lines that say nothing about the life of an agent: three quarters of the bytes of 2.1.325. Metadata lines begin
 * with their type, so a look at the first bytes saves the parsing; a line that begins otherwise is simply parsed.
 */
const HEAVY_PREFIXES = [
  Buffer.from('{"type":"api-request'),
  Buffer.from('{"type":"file-history-'),
  Buffer.from('{"type":"tools-used"'),
  Buffer.from('{"type":"atis-latch"'),
];

/** Attachments hold whole prompts and listings; the only kind with news is the notification that came mid-turn. */
const ATTACHMENT = Buffer.from('"attachment":{"type":"');
const QUEUED = Buffer.from('queued_command"');
/** `parentUuid` and `isSidechain`, sometimes `agentId`, stand before it. A quote inside a string would be escaped. */
const ATTACHMENT_WITHIN = 220;

/** How the records begin that have news: one behind a torn heavy line must not go down with it. */
const BEHIND = [Buffer.from('{"parentUuid":'), Buffer.from('{"type":"queue-operation"')];
const CLOSING = 125;

function isHeavy(bytes: Uint8Array): boolean {
  return beginsHeavy(bytes) && bytes.at(-1) === CLOSING && !hasRecordBehind(bytes);
}

function hasRecordBehind(bytes: Uint8Array): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return BEHIND.some((beginning) => all.indexOf(beginning, 1) !== -1);
}

function beginsHeavy(bytes: Uint8Array): boolean {
  if (HEAVY_PREFIXES.some((prefix) => startsWith(bytes, prefix, 0))) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, ATTACHMENT_WITHIN));
  const at = head.indexOf(ATTACHMENT);
  return at !== -1 && !startsWith(bytes, QUEUED, at + ATTACHMENT.length);
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array, from: number): boolean {
  for (let at = 0; at < prefix.length; at++) if (bytes[from + at] !== prefix[at]) return false;
  return true;
}

/**
 * Facts stand in short strings, or at the two ends of a long one: ids and states of a notification at its beginning, the
 * host's `agentId:` line at the end of a result. What lies between is body, and is read from the file when asked for.
 */
const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024, keepWhole: isFact };

/** Keys whose values are facts, and texts of the host in which facts stand anywhere. */
const FACT_KEYS = [
  Buffer.from('"description":'),
  Buffer.from('"name":'),
  Buffer.from('"customTitle":'),
  Buffer.from('"aiTitle":'),
  Buffer.from('"subagent_type":'),
  Buffer.from('"cwd":'),
];
const HOST_TEXTS = [
  Buffer.from('<task-notification>'),
  Buffer.from('<fork-boilerplate>'),
  Buffer.from('<teammate-message'),
  Buffer.from('<command-message>'),
];

function isFact(json: Uint8Array, open: number): boolean {
  if (FACT_KEYS.some((key) => startsWith(json, key, open - key.length))) return true;
  return HOST_TEXTS.some((text) => startsWith(json, text, open + 1));
}

/** Some text of the line may be cut. */
export function isShortened(bytes: Uint8Array): boolean {
  return bytes.length > BODIES_CUT.longerThan;
}

/** `undefined` where the bytes are no JSON; a value that is no object where they are JSON, but no record. */
export function parseLine(bytes: Uint8Array): unknown {
  return parseWhole(isShortened(bytes) ? shortenStrings(bytes, BODIES_CUT) : bytes);
}

/** The same with all bodies. */
export function parseWhole(bytes: Uint8Array): unknown {
  try {
    // Faster than a TextDecoder.
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

export function typeOf(record: RawRecord): string | undefined {
  return asText(record['type']);
}

/** The first line of a conversation has none before it; the one behind a compaction says which was. */
export function isFirstLine(record: RawRecord): boolean {
  return record['parentUuid'] === null && asText(record['uuid']) !== undefined && !record['logicalParentUuid'];
}

/**
 * What the lines of one reply have in common. Some forks of 2.1.45 give each copied line an id of its own in place of the
 * message's; what is left of it is the request.
 */
export function replyIdOf(record: RawRecord): string | undefined {
  const [line, reply] = [asText(record['uuid']), asText(asObject(record['message'])?.['id'])];
  if (reply === undefined || reply === line) return asText(record['requestId']) ?? line;
  return reply;
}

/** Content blocks of a message: a plain string is one block of text (first prompts, up to today). */
export function blocksOf(message: RawRecord | undefined): readonly RawRecord[] {
  const content = message?.['content'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** All text of a message or of a result, one block a line. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((block) => (block['type'] === 'text' ? asText(block['text']) : undefined))
    .filter((text) => text !== undefined)
    .join('\n');
}

// From the bytes of a line to its records: one, as a rule; none or several where something went wrong.

interface RecordsInLine {
  /** With their places in the line. */
  readonly records: readonly Salvaged[];
  readonly problem?: Pick<Diagnostic, 'code' | 'detail'>;
}

const SLASH = 47;
const HASH = 35;

/** `parse` decides whether bodies come along. */
export function recordsIn(line: Line, parse: (bytes: Uint8Array) => unknown): RecordsInLine {
  const size = `${line.length} bytes`;
  const only = (code: Diagnostic['code']): RecordsInLine => ({ records: [], problem: { code, detail: size } });
  if (line.tooLong) return only('line-too-long');
  const bytes = trimmed(line.bytes);
  if (isHeavy(bytes)) return { records: [] };
  if (bytes.length === 0) return line.bytes.includes(0) ? only('nul-bytes') : { records: [] };
  const record = parse(bytes);
  if (isObject(record)) return { records: [{ record, offset: 0, length: line.length }] };
  if (record !== undefined) return only('not-a-record');
  if (bytes[0] === SLASH || bytes[0] === HASH) return only('comment-line');
  const records = salvage(line.bytes, parse);
  if (records.length === 0) return only(line.torn ? 'torn-line' : 'invalid-json');
  return { records, problem: { code: 'glued-lines', detail: `${records.length} saved` } };
}

/** Without what editors, copies and crashes put around a line: a byte order mark, blanks, carriage returns, zeroes. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let to = bytes.length;
  while (from < to && isPadding(bytes[from])) from++;
  while (to > from && isPadding(bytes[to - 1])) to--;
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
}

function isPadding(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 13 || byte === 0;
}

// Lines that are not JSON as they stand: a crash leaves half a line, and the next process writes on behind it.

interface Salvaged {
  readonly record: RawRecord;
  /** Where it begins in the line, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** How every record begins, whatever its version. A quote inside a string is escaped, so no string looks like this. */
const BEGINNINGS = /\{"(?:parentUuid|type|uuid|isSidechain|sessionId|logicalParentUuid)":/g;

/** Trying each end for each beginning is quadratic: enough is enough. */
const MAX_BEGINNINGS = 64;
const MAX_TRIED_BYTES = 64 * 1024 * 1024;

/** The whole records in a damaged line: two glued together, or one behind a torn one. */
function salvage(bytes: Uint8Array, parse: (bytes: Uint8Array) => unknown): readonly Salvaged[] {
  // Latin-1: a character is a byte, so that places in the text are places in the file.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const starts = beginningsIn(text);
  const found: Salvaged[] = [];
  let tried = 0;
  for (let at = 0; at < starts.length; at++) {
    const from = starts[at] ?? 0;
    // The longest piece that is a record: a record may hold others.
    for (let end = starts.length; end > at && tried < MAX_TRIED_BYTES; end--) {
      const length = (end === starts.length ? bytes.length : (starts[end] ?? 0)) - from;
      tried += length;
      const record = parse(bytes.subarray(from, from + length));
      if (!isObject(record) || !isWhole(record)) continue;
      found.push({ record, offset: from, length });
      at = end - 1;
      break;
    }
  }
  return found;
}

function beginningsIn(text: string): readonly number[] {
  const starts: number[] = [];
  for (const { index } of text.matchAll(BEGINNINGS)) {
    starts.push(index);
    if (starts.length === MAX_BEGINNINGS) break;
  }
  return starts;
}

/** A line of its own names its session; blocks, messages and copies inside of one do not. */
function isWhole(record: RawRecord): boolean {
  return asText(record['sessionId']) !== undefined;
}

// Whether a file is Claude Code's, by its first lines. Qwen Code writes nearly the same envelope, but `parts`, not `content`.

/** A file may begin with lines of 2.1.x that no other host has; a few of them decide. */
const OWN_TYPES = new Set([
  'queue-operation',
  'file-history-snapshot',
  'last-prompt',
  'permission-mode',
  'atis-latch',
  'tools-used',
  'custom-title',
  'ai-title',
  'agent-name',
  'fork-context-ref',
  'api-request-shape',
  'mode',
  'cost-state',
  'worktree-state',
]);
/** Lines that do not name their session: a session without a conversation may have no others. */
const NAMELESS: Readonly<Record<string, string>> = { summary: 'leafUuid', 'file-history-snapshot': 'messageId' };
const CONVERSATION = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

export function sniffTranscript(head: Uint8Array): boolean {
  const splitter = createLineSplitter();
  const lines = splitter.push(head);
  // A head that is one long line so far: judged by its beginning below.
  const rest = splitter.rest();
  for (const line of lines) {
    const record = parseLine(line.bytes);
    if (isObject(record)) {
      const verdict = judge(record);
      if (verdict !== undefined) return verdict;
    }
  }
  return rest !== undefined && sniffLongLine(rest.bytes);
}

function judge(record: RawRecord): boolean | undefined {
  const type = typeOf(record);
  if (type === undefined) return undefined;
  if (!CONVERSATION.has(type)) {
    const isNamed = OWN_TYPES.has(type) && asText(record['sessionId'] ?? record['agentId']) !== undefined;
    return isNamed || asText(record[NAMELESS[type] ?? '']) !== undefined || undefined;
  }
  const message = asObject(record['message']);
  if (message && 'parts' in message) return false;
  return 'isSidechain' in record && 'userType' in record && asText(record['sessionId']) !== undefined;
}

const FIRST_TYPE = /^\{"type":"([a-z-]+)"/;

/** The first line is longer than the head (a pasted file as the prompt of `-p`, a skill listing): its envelope shows. */
function sniffLongLine(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 4096));
  if (text.startsWith('{"parentUuid":')) return text.includes('"isSidechain":');
  return OWN_TYPES.has(FIRST_TYPE.exec(text)?.[1] ?? '');
}

/** `cost-state`: what all agents used since `from`, in how much time. */
export function hostTotalIn(record: RawRecord) {
  const [from, durationMs] = [asAmount(record['startTime']), asAmount(record['totalDuration'])];
  const models = Object.entries(asObject(record['modelUsage']) ?? {});
  if (from === undefined || durationMs === undefined || models.length === 0) return undefined;
  // Of a model that it does not know, the host takes the price of another one.
  const isPriced = record['hasUnknownModelCost'] === false;
  return { from, durationMs, byModel: models.map((one) => toModelUsage(one, isPriced)).reduce(addByModel, []) };
}

function toModelUsage([model, sums]: readonly [string, unknown], isPriced: boolean): readonly ModelUsage[] {
  const of = asObject(sums) ?? {};
  const amount = (field: string): number => asAmount(of[field]) ?? 0;
  const usage = {
    input: amount('inputTokens'),
    output: amount('outputTokens'),
    cacheRead: amount('cacheReadInputTokens'),
    cacheWrite: amount('cacheCreationInputTokens'),
    cacheWrite5m: amount('cacheCreationEphemeral5mInputTokens'),
    cacheWrite1h: amount('cacheCreationEphemeral1hInputTokens'),
  };
  // A large window is part of the name here, and not in the replies.
  const usd = isPriced ? asAmount(of['costUSD']) : undefined;
  const billed = usd === undefined ? undefined : { nanoUsd: Math.round(usd * 1e9), usage };
  return [{ model: model.replace(/\[1m\]$/, ''), usage, ...known({ billed }) }];
}
