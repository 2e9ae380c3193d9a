// What a call gave back, without the host's words around it.

/** Around everything that came from outside (0.5x of Gemini CLI and later). */
const FRAME = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>\s*$/;
/** Behind a command's output, one after the other; which of them are there, versions differ in. */
const TRAILER =
  /\n(?:Error: \(none\)|Exit Code: (\S+)|Signal: .*|Background PIDs: .*|Process Group PGID: .*|Stderr: \(empty\))$/;
const NONE = new Set(['(none)', '(empty)']);

export interface ResultText {
  readonly text: string;
  /** Of a command, where it was no success. */
  readonly exitCode?: number;
}

/** The output of a command stands between lines about it. */
export function readResult(raw: string): ResultText {
  const framed = FRAME.exec(raw)?.[1] ?? raw;
  const from = startOfOutput(framed);
  if (from === undefined) return { text: framed };
  let body = `\n${framed.slice(from)}`;
  let exitCode: number | undefined;
  for (let line = TRAILER.exec(body); line; line = TRAILER.exec(body)) {
    if (line[1] !== undefined) exitCode = Number(line[1]) || undefined;
    body = body.slice(0, line.index);
  }
  const text = body.slice(1);
  return { text: NONE.has(text) ? '' : text, ...(exitCode !== undefined && { exitCode }) };
}

/** The command itself may have many lines, so the first line that says where it ran ends it. */
function startOfOutput(text: string): number | undefined {
  if (text.startsWith('Output: ')) return 'Output: '.length;
  const head = /^Command: [\s\S]*?\nDirectory: .*\n(?:Output|Stdout): /.exec(text);
  return head?.[0].length;
}

/** As a person reads it: an exit that was no success stays, as a line of its own in front. */
export function shownResult(raw: string): string {
  const { text, exitCode } = readResult(raw);
  return exitCode === undefined ? text : `Exit code ${exitCode}\n${text}`;
}
