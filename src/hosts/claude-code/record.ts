// One line of a Claude Code transcript as JSON, and the fields that every line may carry. Versions seen: 1.0.60 to 2.1.325.

import { asText, isObject, type JsonObject, shortenStrings } from '../../lib/json.ts';

export type RawRecord = JsonObject;

const bytesOf = (text: string): Buffer => Buffer.from(text);

/**
 * Heavy lines that say nothing about the life of an agent: three quarters of the bytes of 2.1.325. Metadata lines begin
 * with their type, so a look at the first bytes saves the parsing; a line that begins otherwise is simply parsed.
 */
const HEAVY_PREFIXES = [
  '{"type":"api-request',
  '{"type":"file-history-',
  '{"type":"tools-used"',
  '{"type":"atis-latch"',
].map(bytesOf);

/** Attachments hold whole prompts and listings; the only kind with news is the notification that came mid-turn. */
const ATTACHMENT = bytesOf('"attachment":{"type":"');
const QUEUED = bytesOf('queued_command"');
/** `parentUuid` and `isSidechain`, sometimes `agentId`, stand before it. A quote inside a string would be escaped. */
const ATTACHMENT_WITHIN = 220;

/** How the records begin that have news: one behind a torn heavy line must not go down with it. */
const BEHIND = ['{"parentUuid":', '{"type":"queue-operation"'].map(bytesOf);
const CLOSING = 125;

export function isHeavy(bytes: Uint8Array): boolean {
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
const FACT_KEYS = ['description', 'name', 'customTitle', 'aiTitle', 'subagent_type', 'cwd'].map((key) =>
  bytesOf(`"${key}":`),
);
const HOST_TEXTS = ['<task-notification>', '<fork-boilerplate>', '<teammate-message', '<command-message>'].map(bytesOf);

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
