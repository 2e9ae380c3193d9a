import { cleanLine, type TranscriptBlock, type TranscriptMessage } from '../../../src/core/index.ts';

const MAX_CHARACTERS = 4_000;

export interface PromptText {
  readonly text: string;
  /** Of a very long one, only the beginning. */
  readonly isCut: boolean;
}

/** What the first message that somebody wrote says, line by line, without anything that could disturb the page. */
export function promptIn(messages: readonly TranscriptMessage[]): PromptText | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const text = content.flatMap((block) => promptsIn(block)).join('\n');
    const clean = text.slice(0, MAX_CHARACTERS).split(/\r?\n/).map(cleanKeepingIndent).join('\n').trim();
    if (clean !== '') return { text: clean, isCut: text.length > MAX_CHARACTERS };
  }
  return undefined;
}

/** What a teammate is asked comes as a message; a command of the person's own is its name and what stands behind it. */
function promptsIn(block: TranscriptBlock): readonly string[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'notice') return [];
  return block.kind === 'message' ? [block.text] : block.kind === 'command' ? [block.title ?? ''] : [];
}

function cleanKeepingIndent(line: string): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return indent + cleanLine(line);
}
