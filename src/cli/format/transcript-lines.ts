import {
  cleanLine,
  cutTo,
  formatCount,
  type Paint,
  plural,
  shortId,
  type ToolUseBlock,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
  wrapText,
} from '../../core/index.ts';
import { describeMedia, titleOf, type Voice, voiceOf } from '../../core/transcript/index.ts';

export interface TranscriptTextOptions {
  readonly paint: Paint;
  readonly width?: number;
  /** Of the agent, for its margin. */
  readonly hue: number | null;
  /** Nothing folded. */
  readonly full: boolean;
  /** Messages before those of the transcript, and in the whole conversation. */
  readonly from?: number;
  readonly total?: number;
  /** What could not be read in its session. */
  readonly problems?: number;
}

/** Text is easier to read in a column than across a wide screen. */
const COLUMN = 88;
const FOLD = { text: 60, thinking: 4, result: 10 };

/** `troupe show`: the conversation as a person reads it, voices apart, long things folded with their size. */
export function formatTranscript(transcript: Transcript, options: TranscriptTextOptions): readonly string[] {
  const shown = transcript.messages;
  const { paint, from = 0, total = shown.length } = options;
  const lines = shown.flatMap((message) => ['', ...formatMessage(message, transcript, options)]);
  const left = Math.max(0, total - from - shown.length);
  const { problems = 0, width } = options;
  const cut = (text: string): string => (width === undefined ? text : cutTo(text, width));
  const before = Math.min(from, total);
  return [
    paint.bold(cut(cleanLine(transcript.title ?? 'untitled'))),
    paint.dim(cut(headOf(transcript, total))),
    ...(problems > 0 ? [paint.dim(`${plural(problems, 'problem')} in this session: see troupe tree`)] : []),
    ...(before > 0 ? ['', paint.dim(`… ${plural(before, 'message')} before this`)] : []),
    ...lines,
    ...(left > 0 ? ['', paint.dim(`… ${plural(left, 'more message')}: go on with --from ${from + shown.length}`)] : []),
  ];
}

function headOf({ session_id, parent_session_id, model, usage }: Transcript, total: number): string {
  const parts = [
    session_id,
    parent_session_id === null ? undefined : `asked by ${shortId(parent_session_id)}`,
    model,
    plural(total, 'message'),
    usage ? `${formatCount(usage.output_tokens)} output tokens` : undefined,
  ];
  return parts.flatMap((part) => (part ? cleanLine(part) : [])).join(' · ');
}

function formatMessage(
  message: TranscriptMessage,
  transcript: Transcript,
  options: TranscriptTextOptions,
): readonly string[] {
  const { paint, hue } = options;
  const time = message.timestamp?.slice(11, 19) ?? '';
  const voice = voiceOf(message, transcript.parent_session_id !== null);
  const margin = voice === 'agent' ? paint.agent(hue, '│ ') : voice === 'host' ? paint.dim('┆ ') : '┃ ';
  const body = message.content.flatMap((block) => formatBlock(block, message, options));
  return [`${paint.bold(nameOf(voice, message))} ${paint.dim(time)}`, ...body.map((line) => `${margin}${line}`)];
}

function nameOf(voice: Voice, { model }: TranscriptMessage): string {
  if (voice === 'agent') return cleanLine(model ?? 'assistant');
  return voice === 'person' ? 'user' : voice;
}

function formatBlock(
  block: TranscriptBlock,
  message: TranscriptMessage,
  options: TranscriptTextOptions,
): readonly string[] {
  const { paint } = options;
  const columns = Math.min(COLUMN, (options.width ?? COLUMN) - 4);
  switch (block.type) {
    case 'text': {
      const lines = fold(block.text, message.role === 'system' ? FOLD.thinking : FOLD.text, columns, options);
      return message.role === 'system' ? lines.map(paint.dim) : lines;
    }
    case 'thinking':
      return fold(block.text, FOLD.thinking, columns, options).map((line) => paint.dim(`~ ${line}`));
    case 'tool_use': {
      const summary = block.summary === null ? '' : ` ${cleanLine(block.summary)}`;
      const call = cutTo(`▸ ${cleanLine(block.name)}${summary}`, columns);
      return [paint.bold(call), ...(block.sub_agent_ref ? [formatSubAgentLink(block.sub_agent_ref, paint)] : [])];
    }
    case 'tool_result': {
      const { media = [] } = block;
      const text = block.text === '' && media.length === 0 ? '(no output)' : block.text;
      const lines = text === '' ? [] : fold(text, FOLD.result, columns - 2, options);
      const shown = lines.map((line) => `  ${block.is_error ? paint.red(line) : paint.dim(line)}`);
      return [...shown, ...media.map((one) => paint.dim(`  [${cleanLine(describeMedia(one))}]`))];
    }
    case 'summary':
      return fold(block.text, FOLD.thinking, columns, options).map(paint.dim);
    case 'notice': {
      const title = [paint.dim(cutTo(cleanLine(titleOf(block)), columns))];
      return block.text === ''
        ? title
        : [...title, ...fold(block.text, FOLD.thinking, columns, options).map(paint.dim)];
    }
    case 'image':
    case 'attachment':
      return [paint.dim(`[${cleanLine(describeMedia(block))}]`)];
  }
}

/** How to read the transcript of the sub-agent that the call started. */
function formatSubAgentLink(ref: NonNullable<ToolUseBlock['sub_agent_ref']>, paint: Paint): string {
  const name = cleanLine(ref.agent_name ?? ref.agent_id);
  return `  → ${name} (${cleanLine(ref.agent_type ?? 'agent')})  ${paint.dim(`troupe show ${cleanLine(ref.agent_id)}`)}`;
}

function fold(text: string, most: number, columns: number, { full }: TranscriptTextOptions): readonly string[] {
  const lines = wrapText(text.replace(/\n+$/, ''), columns);
  if (full || lines.length <= most + 2) return lines;
  const hidden = lines.length - most;
  return [...lines.slice(0, most), `… ${plural(hidden, 'more line')}, ${formatCount(text.length)} characters in all`];
}
