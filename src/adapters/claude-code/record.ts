// One line of a Claude Code transcript as JSON, and the fields that every line may carry. Versions seen: 2.1.2 to 2.1.325.
import { asText, isObject, type JsonObject } from '../../base/json.ts';

export type RawRecord = JsonObject;

/**
 * Heavy lines that say nothing about the life of an agent: three quarters of the bytes of 2.1.325. Metadata lines begin
 * with their type, so a look at the first bytes saves the parsing; a line that begins otherwise is simply parsed.
 */
const HEAVY_PREFIXES = [
  '{"type":"api-request',
  '{"type":"file-history-',
  '{"type":"tools-used"',
  '{"type":"atis-latch"',
].map((prefix) => new TextEncoder().encode(prefix));

export function isHeavy(bytes: Uint8Array): boolean {
  return HEAVY_PREFIXES.some((prefix) => prefix.every((byte, at) => bytes[at] === byte));
}

/** `undefined` where the bytes are no JSON; a value that is no object where they are JSON, but no record. */
export function parseLine(bytes: Uint8Array): unknown {
  try {
    // Twice as fast as a TextDecoder; a byte order mark is the caller's to skip.
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

/** A host version as a number that compares: 2.1.197 → 2001000197. */
export function versionNumber(version: string | undefined): number {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);
  return (major * 1000 + minor) * 1_000_000 + patch;
}
