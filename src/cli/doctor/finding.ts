import type { Finding, FindingArea } from '../../core/index.ts';

type Say = (code: string, text: string, remedy?: string) => Finding;

/** The four ways to say something about an area. */
export function findingsOf(area: FindingArea): Record<Finding['level'], Say> {
  const say =
    (level: Finding['level']): Say =>
    (code, text, remedy) => ({ area, code, level, text, remedy: remedy ?? null });
  return { good: say('good'), note: say('note'), warning: say('warning'), problem: say('problem') };
}
