// What concerns the session, or an agent's settings and its turn as a whole.
import { asAmount, asObject, asText, known } from '../../../lib/json.ts';
import { atOf, eventId, type LineParser } from '../line-context.ts';
import { tellNews } from './news.ts';
import { noteTotals } from './usage.ts';

/** `session.start`, `session.resume`, `session.context_changed`. */
export const parseStart: LineParser = (context) => {
  const { agent, isMain, record } = context;
  const { data } = record;
  const place = asObject(data['context']) ?? data;
  const cwd = asText(place['cwd']);
  const branch = asText(place['branch']);
  context.emit({ kind: 'agent-seen', agent, ...atOf(context), ...known({ cwd, branch }) });
  tellNews(context, { model: asText(data['selectedModel']), effort: asText(data['reasoningEffort']) });
  if (!isMain) return;
  const hostVersion = asText(data['copilotVersion']);
  // Every version that writes such files leaves a lock beside them while it runs.
  const keepsProcessRecords = record.type === 'session.start' ? true : undefined;
  context.emit({ kind: 'session-seen', ...atOf(context), ...known({ cwd, branch, hostVersion, keepsProcessRecords }) });
};

export const parseModelChange: LineParser = (context) => {
  const { data } = context.record;
  tellNews(context, { model: asText(data['newModel']), effort: asText(data['reasoningEffort']) });
};

/** Errors of a request to the model; others (a server of tools that does not answer) end no turn. */
const OF_REQUEST = new Set([
  'query',
  'authentication',
  'authorization',
  'policy',
  'quota',
  'rate_limit',
  'context_limit',
]);

export const parseError: LineParser = (context) => {
  const { agent, record } = context;
  if (!OF_REQUEST.has(asText(record.data['errorType']) ?? '')) return;
  context.emit({ kind: 'entry-added', agent, entry: 'failure', id: eventId(record), ...atOf(context) });
};

/** The person stopped the turn. */
export const parseAbort: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'interruption', id: eventId(record), ...atOf(context) });
};

export const parseCompaction: LineParser = (context) => {
  const { agent, record } = context;
  const { data } = record;
  if (data['success'] !== true) return;
  const parts = ['systemTokens', 'conversationTokens', 'toolDefinitionsTokens'].map((key) => asAmount(data[key]));
  const sum = parts.some((part) => part === undefined) ? undefined : parts.reduce((a = 0, b = 0) => a + b, 0);
  context.emit({
    kind: 'agent-compacted',
    agent,
    ...atOf(context),
    ...known({
      tokensBefore: asAmount(data['preCompactionTokens']),
      tokensAfter: sum ?? asAmount(data['postCompactionTokens']),
    }),
  });
};

export const parseTruncation: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({
    kind: 'agent-compacted',
    agent,
    ...atOf(context),
    ...known({
      tokensBefore: asAmount(record.data['preTruncationTokensInMessages']),
      tokensAfter: asAmount(record.data['postTruncationTokensInMessages']),
    }),
  });
};

/** The process ended in good order. */
export const parseShutdown: LineParser = (context) => {
  if (!context.isMain) return;
  context.emit({ kind: 'session-closed' });
  noteTotals(context);
};
