import { computeHues, createPaint } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { type SharedFlags, whereOf, writeJson } from './flags.ts';
import { formatTranscript } from './format/index.ts';
import type { CliContext } from './run-cli.ts';

export interface ShowFlags extends SharedFlags {
  readonly from: number;
  readonly limit?: number;
  readonly full: boolean;
}

export async function show(this: CliContext, flags: ShowFlags, agent: string): Promise<void> {
  const { terminal } = this.face;
  const opened = await this.face.transcripts(whereOf(flags)).read(agent);
  const { transcript, tree } = opened;
  if (flags.json) {
    const last = flags.limit === undefined ? undefined : flags.from + flags.limit;
    return writeJson(this, { ...transcript, messages: transcript.messages.slice(flags.from, last) });
  }
  const lines = formatTranscript(transcript, {
    paint: createPaint(terminal.colours),
    hue: computeHues(tree.agents).get(opened.agent) ?? null,
    full: flags.full,
    from: flags.from,
    problems: tree.diagnostics.filter(({ severity }) => severity !== 'info').reduce((sum, { count }) => sum + count, 0),
    ...known({ limit: flags.limit, width: terminal.width }),
  });
  await terminal.page(`${lines.join('\n')}\n`);
}
