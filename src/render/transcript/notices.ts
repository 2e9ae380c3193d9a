/** What the program around an agent says in its conversation. */
export interface Notice {
  /** In a line, where it says so itself. */
  readonly title: string | undefined;
  /** What it hands over: the answer of a sub-agent that worked in the background. */
  readonly body: string | undefined;
}

const MAX_TITLE = 300;
const CONTINUED = 'This session is being continued from a previous conversation';

export function describeNotice(text: string): Notice {
  const title = between(text, 'summary')?.trim();
  if (title) return { title: title.slice(0, MAX_TITLE), body: between(text, 'result')?.trim() };
  return { title: text.startsWith(CONTINUED) ? 'Continued after compaction' : undefined, body: undefined };
}

/** The outermost one: what is handed over may hold anything. */
function between(text: string, tag: string): string | undefined {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const from = text.indexOf(open);
  const to = tag === 'summary' ? text.indexOf(close, from) : text.lastIndexOf(close);
  return from === -1 || to < from ? undefined : text.slice(from + open.length, to);
}
