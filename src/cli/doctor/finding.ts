import type { Finding, FindingArea } from '../../core/index.ts';

type Say = (code: string, text: string, remedy?: string) => Finding;

/** The four ways to say something about an area. */
export function findingsOf(area: FindingArea): Record<Finding['level'], Say> {
  const say =
    (level: Finding['level']): Say =>
    (code, text, remedy) => ({ area, code, level, text, remedy: remedy ?? null });
  return { good: say('good'), note: say('note'), warning: say('warning'), problem: say('problem') };
}

/** `1 file`, `2 files`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The words of a mistake of the system. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
