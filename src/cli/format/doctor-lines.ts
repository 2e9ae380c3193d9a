import { cleanLine, type Finding, type FindingArea, type FindingLevel, type Paint } from '../../core/index.ts';

const TITLES: Readonly<Record<FindingArea, string>> = {
  hosts: 'Programs',
  folders: 'Their data',
  hooks: 'Hooks',
  server: 'Server',
  state: 'Own files',
  audit: 'Audit',
  telegram: 'Telegram',
};

const MARKS: Readonly<Record<FindingLevel, string>> = { good: '✓', note: '·', warning: '⚠', problem: '✗' };

/** A finding for people: a mark, a sentence, and below it what to do. */
export function formatFinding({ level, text, remedy }: Finding, paint: Paint): readonly string[] {
  const colour = { good: paint.green, note: paint.dim, warning: paint.yellow, problem: paint.red }[level];
  const lines = [`  ${colour(MARKS[level])} ${cleanLine(text)}`];
  return remedy === null ? lines : [...lines, paint.dim(`    → ${cleanLine(remedy)}`)];
}

export function formatArea(area: FindingArea, paint: Paint): string {
  return paint.bold(TITLES[area]);
}
