import { type AttachReport, cleanBlock, cleanLine, formatCount, type Paint, shellLine } from '../../core/index.ts';

/** What happens, before it does: for people. */
export function formatAttachHead(report: AttachReport, paint: Paint): readonly string[] {
  const { agent, words, reasons, limits, begins } = report;
  return [
    `${paint.bold(cleanLine(agent.label))} ${paint.dim(`${agent.id}, ${agent.status}`)}`,
    words,
    ...reasons.map(cleanLine),
    ...limits,
    ...(begins ? ['The new session will stand below the agent in the tree.'] : []),
  ];
}

/** The same with the command and with everything that is handed over, word for word. */
export function formatAttachPlan(report: AttachReport, paint: Paint): readonly string[] {
  const { command, text, tokens, leftOut, redacted } = report;
  const about = [
    ...(tokens > 0 ? [`about ${formatCount(tokens)} tokens`] : []),
    ...redacted.map(({ what, count }) => `${count} × ${what} taken out`),
    ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
  ];
  return [
    ...formatAttachHead(report, paint),
    ...(command ? ['', paint.dim('Command'), shellLine(shortened(command, text))] : []),
    ...(text === null ? [] : ['', paint.dim(['What it is told', ...about].join(' · ')), cleanBlock(text).trimEnd()]),
  ];
}

/** The text stands below: in the command it would hide the rest of it. */
function shortened(command: NonNullable<AttachReport['command']>, text: string | null) {
  return text?.includes('\n')
    ? { ...command, args: command.args.map((word) => word.replace(text, '<the text below>')) }
    : command;
}
