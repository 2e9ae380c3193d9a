import * as v from 'valibot';
import type { TranscriptDocument } from '../core/index.ts';
import { isDeeperThan, isObject, type JsonObject } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';

const FORMAT = 'troupe-transcript';
const VERSION = 1;
const REMEDY = 'Export the session again with: troupe export --format json';

/**
 * Parses an exported session. Throws a `UserError` if the text is not one, or is damaged. Anyone may have written it: its texts are as
 * untrusted as those of any transcript.
 */
export function parseDocument(json: string): TranscriptDocument {
  const value = parseJson(json);
  if (!isObject(value) || value['format'] !== FORMAT)
    throw new UserError('not-a-transcript', 'This is not a transcript that troupe exported.', REMEDY);
  if (value['version'] !== VERSION) {
    const message = `This transcript has version ${JSON.stringify(value['version'])}; this troupe reads version ${VERSION}.`;
    throw new UserError('transcript-version', message, 'Use the version of troupe that exported it, or a newer one.');
  }
  check(HEAD, value, '');
  checkTranscripts(value);
  return value as unknown as TranscriptDocument;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UserError('not-a-transcript', 'This is not JSON, or it was cut off.', REMEDY, { cause });
  }
}

/** `at`: where the value is in the document, e.g. `sub_agents[0]`. */
function check(schema: v.GenericSchema, value: unknown, at: string): void {
  const { issues: [issue] = [] } = v.safeParse(schema, value, { abortEarly: true });
  if (!issue) return;
  let place = at;
  for (const { key } of issue.path ?? [])
    place += typeof key === 'number' ? `[${key}]` : `${place === '' ? '' : '.'}${key}`;
  throw damaged(`${place || 'it'} should be ${issue.expected ?? 'different'}, not ${issue.received}`);
}

function damaged(what: string): UserError {
  return new UserError('transcript-damaged', `This transcript is damaged: ${what}.`, REMEDY);
}

/** Inputs of calls are cut at 100 when they are read. */
const MAX_LEVELS = 120;

/** Without recursion: sub-agents may be nested without end. */
function checkTranscripts(root: unknown): void {
  const open: { readonly value: unknown; readonly at: string }[] = [{ value: root, at: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, at } = next;
    if (isDeeperThan({ ...(isObject(value) && value), sub_agents: [] }, MAX_LEVELS))
      throw damaged(`${at || 'it'} should be nested less deeply`);
    check(TRANSCRIPT, value, at);
    const children = isObject(value) && Array.isArray(value['sub_agents']) ? value['sub_agents'] : [];
    for (const [index, child] of children.entries())
      open.push({ value: child, at: `${at === '' ? '' : `${at}.`}sub_agents[${index}]` });
  }
}

const text = v.string();
const textOrNull = v.nullable(text);
const amount = v.pipe(v.number(), v.minValue(0));
/** valibot's own object types also take arrays. */
const object = v.custom<JsonObject>(isObject, 'an object');

const HEAD = v.object({
  session: v.object({
    session: v.object({ id: text }),
    agents: v.array(v.object({ id: text })),
    diagnostics: object,
  }),
  skipped: v.array(v.object({ agent_id: text, kind: v.picklist(['internal', 'delivery', 'empty']), reason: text })),
});

const CHANGE = v.object({ path: text, added: v.nullable(amount), removed: v.nullable(amount) });
const REF = v.object({ agent_id: text, agent_name: textOrNull, agent_type: textOrNull, team_name: textOrNull });
const IMAGE = v.object({
  type: v.literal('image'),
  media_type: text,
  data: textOrNull,
  bytes: v.nullable(amount),
});
const ATTACHMENT = v.object({
  type: v.literal('attachment'),
  media_type: text,
  name: textOrNull,
  bytes: v.nullable(amount),
});
const NOTICES = [
  'background',
  'message',
  'reminder',
  'command',
  'command-output',
  'interruption',
  'compaction',
  'note',
];

const BLOCK = v.variant('type', [
  v.object({ type: v.literal('text'), text }),
  v.object({ type: v.literal('thinking'), text }),
  v.object({ type: v.literal('summary'), text }),
  v.object({
    type: v.literal('tool_use'),
    tool_use_id: text,
    name: text,
    summary: textOrNull,
    sub_agent_ref: v.optional(REF),
    sub_agent_refs: v.optional(v.array(REF)),
  }),
  v.object({
    type: v.literal('tool_result'),
    tool_use_id: text,
    text,
    is_error: v.boolean(),
    media: v.optional(v.array(v.variant('type', [IMAGE, ATTACHMENT]))),
    changes: v.optional(v.array(CHANGE)),
  }),
  v.object({ type: v.literal('notice'), kind: v.picklist(NOTICES), title: textOrNull, text, agent_id: textOrNull }),
  IMAGE,
  ATTACHMENT,
]);

const MESSAGE = v.object({
  id: text,
  role: v.picklist(['user', 'assistant', 'system']),
  timestamp: textOrNull,
  model: textOrNull,
  content: v.array(BLOCK),
});

const USAGE = v.object({
  input_tokens: amount,
  output_tokens: amount,
  cache_read_tokens: amount,
  cache_write_tokens: amount,
});

const TRANSCRIPT = v.object({
  session_id: text,
  parent_session_id: textOrNull,
  agent: text,
  model: textOrNull,
  title: textOrNull,
  created_at: textOrNull,
  updated_at: textOrNull,
  author: v.nullable(v.object({ name: textOrNull, email: textOrNull })),
  usage: v.nullable(USAGE),
  diff_stats: v.nullable(v.object({ added: amount, removed: amount, files: v.array(CHANGE) })),
  known_from: v.picklist(['transcript', 'parent', 'nothing']),
  left_out: v.pipe(object, v.record(text, amount)),
  messages: v.array(MESSAGE),
  sub_agents: v.array(v.unknown()),
});
