// Lines without a conversation: titles, the mark of a clean exit, where a fork's history comes from.
import { asText } from '../../../lib/json.ts';
import { versionNumber } from '../../../lib/version-number.ts';
import type { LineParser } from '../line-context.ts';

export const parseCustomTitle: LineParser = (record, context) => {
  const title = asText(record['customTitle']);
  if (title !== undefined) context.emit({ kind: 'session-titled', title, titleKind: 'custom' });
};

export const parseAiTitle: LineParser = (record, context) => {
  const title = asText(record['aiTitle']);
  if (title !== undefined) context.emit({ kind: 'session-titled', title, titleKind: 'generated' });
};

/** Written as the process ends in good order (2.1.250 in a terminal, 2.1.286 everywhere); missing after a kill. */
export const parseCostState: LineParser = (_record, context) => {
  context.emit({ kind: 'session-closed' });
};

/** One line as the process ends, after an interruption too (2.1.100 to 2.1.250); 2.1.286 repeats it while it works. */
const REPEATED_SINCE = versionNumber('2.1.251');

export const parseLastPrompt: LineParser = (_record, context) => {
  const { version } = context.file;
  if (version !== undefined && versionNumber(version) < REPEATED_SINCE) context.emit({ kind: 'session-closed' });
};

export const parseForkContext: LineParser = (_record, context) => {
  context.file.inherited = true;
  context.emit({ kind: 'agent-seen', agent: context.agent, agentKind: 'fork' });
};
