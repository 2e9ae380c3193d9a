import { isDeeperThan, isObject } from '../../lib/json.ts';
import { amount, anything, byType, fields, flag, listOf, Misfit, mapOf, oneOf, orNull, text } from '../../lib/shape.ts';
import { UserError } from '../../lib/user-error.ts';
import type { TranscriptDocument } from './transcript-document.ts';

const FORMAT = 'troupe-transcript';
const VERSION = 1;
const REMEDY = 'Export the session again with: troupe export --format json';

/**
 * An exported session, read back. Throws a `UserError` where it is none, or not whole. Nobody knows who wrote it: what is
 * in it is as untrusted as any transcript.
 */
export function parseDocument(json: string): TranscriptDocument {
  const value = parseJson(json);
  if (!isObject(value) || value['format'] !== FORMAT)
    throw new UserError('not-a-transcript', 'This is no transcript that troupe exported.', REMEDY);
  if (value['version'] !== VERSION) {
    const message = `This transcript has version ${JSON.stringify(value['version'])}; this troupe reads version ${VERSION}.`;
    throw new UserError('transcript-version', message, 'Use the version of troupe that exported it, or a newer one.');
  }
  try {
    HEAD(value, '');
    assertTranscripts(value);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new UserError('transcript-damaged', `This transcript is damaged: ${error.message}.`, REMEDY);
  }
  return value as unknown as TranscriptDocument;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UserError('not-a-transcript', 'This is no JSON, or it was cut off.', REMEDY, { cause });
  }
}

/** Inputs of calls are cut at 100 when they are read. */
const MAX_LEVELS = 120;

/** Without recursion: it may be nested without end. */
function assertTranscripts(root: unknown): void {
  const open: { readonly value: unknown; readonly at: string }[] = [{ value: root, at: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, at } = next;
    if (isDeeperThan({ ...(isObject(value) && value), sub_agents: [] }, MAX_LEVELS))
      throw new Misfit(at, 'nested less deeply');
    TRANSCRIPT(value, at);
    const children = isObject(value) && Array.isArray(value['sub_agents']) ? value['sub_agents'] : [];
    for (const [index, child] of children.entries())
      open.push({ value: child, at: `${at === '' ? '' : `${at}.`}sub_agents[${index}]` });
  }
}

const HEAD = fields({
  session: fields({ session: fields({ id: text }), agents: listOf(fields({ id: text })), diagnostics: fields({}) }),
  skipped: listOf(fields({ agent_id: text, kind: oneOf(['internal', 'delivery', 'empty']), reason: text })),
});

const CHANGE = fields({ path: text, added: orNull(amount), removed: orNull(amount) });
const REF = fields({ agent_id: text, agent_name: orNull(text), agent_type: orNull(text), team_name: orNull(text) });
const IMAGE = fields({ media_type: text, data: orNull(text), bytes: orNull(amount) });
const ATTACHMENT = fields({ media_type: text, name: orNull(text), bytes: orNull(amount) });
const MEDIA = { image: IMAGE, attachment: ATTACHMENT };
const KINDS = [
  'background',
  'message',
  'reminder',
  'command',
  'command-output',
  'interruption',
  'compaction',
  'note',
] as const;

const BLOCK = byType({
  text: fields({ text }),
  thinking: fields({ text }),
  summary: fields({ text }),
  tool_use: fields(
    { tool_use_id: text, name: text, input: anything, summary: orNull(text) },
    { sub_agent_ref: REF, sub_agent_refs: listOf(REF) },
  ),
  tool_result: fields(
    { tool_use_id: text, text, is_error: flag },
    { media: listOf(byType(MEDIA)), changes: listOf(CHANGE) },
  ),
  notice: fields({ kind: oneOf(KINDS), title: orNull(text), text, agent_id: orNull(text) }),
  ...MEDIA,
});

const MESSAGE = fields({
  id: text,
  role: oneOf(['user', 'assistant', 'system']),
  timestamp: orNull(text),
  model: orNull(text),
  content: listOf(BLOCK),
});

const USAGE = fields({
  input_tokens: amount,
  output_tokens: amount,
  cache_read_tokens: amount,
  cache_write_tokens: amount,
});

const TRANSCRIPT = fields({
  session_id: text,
  parent_session_id: orNull(text),
  agent: text,
  model: orNull(text),
  title: orNull(text),
  created_at: orNull(text),
  updated_at: orNull(text),
  author: orNull(fields({ name: orNull(text), email: orNull(text) })),
  usage: orNull(USAGE),
  diff_stats: orNull(fields({ added: amount, removed: amount, files: listOf(CHANGE) })),
  known_from: oneOf(['transcript', 'parent', 'nothing']),
  left_out: mapOf(amount),
  messages: listOf(MESSAGE),
  sub_agents: listOf(anything),
});
