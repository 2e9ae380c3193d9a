/** A file as a tool showed it to the agent: each line behind its number. */
export interface NumberedText {
  readonly first: number;
  readonly text: string;
  /** What the host said behind it. */
  readonly note: string;
}

const NUMBERED = /^ *(\d{1,9})(?:→|\t)(.*)$/;

/** Undefined where the text is not numbered from its first line on. */
export function parseNumbered(text: string): NumberedText | undefined {
  const lines = text.split('\n');
  const first = NUMBERED.exec(lines[0] ?? '');
  if (!first) return undefined;
  const from = Number(first[1]);
  const bodies: string[] = [];
  for (const line of lines) {
    const match = NUMBERED.exec(line);
    if (Number(match?.[1]) !== from + bodies.length) break;
    bodies.push(match?.[2] ?? '');
  }
  return { first: from, text: bodies.join('\n'), note: lines.slice(bodies.length).join('\n').trim() };
}
