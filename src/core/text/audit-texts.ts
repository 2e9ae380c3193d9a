// The words for a line of the audit, the same on every face.

import type { AuditAgent, AuditDecision, AuditEntry } from '../reports/audit-shapes.ts';
import { plural } from './amounts.ts';
import { cleanLine } from './clean-text.ts';

/** What each decision means for the call. */
export const DECISION_TEXTS: Readonly<Record<AuditDecision, string>> = {
  observed: 'seen by a hook; nobody was asked',
  none: 'the guard was asked, and left it to the host',
  allow: 'the guard allowed it',
  ask: 'the guard had the person asked',
  deny: 'the guard refused it',
};

/** The labels from the main agent down; where nobody knows who it was, why. */
export function callerText({ who, path, evidence, reason }: AuditAgent): string {
  if (who === 'unknown') return cleanLine(`unknown: ${reason ?? 'nothing tells who it was'}`);
  return `${pathText(path)}${evidence === 'guess' ? ' (a guess)' : ''}`;
}

export function pathText(path: readonly string[]): string {
  return path.length === 0 ? 'an agent that is not known' : path.map(cleanLine).join(' › ');
}

/** How long the host had to wait for the hook. */
export function heldText({ ms }: Pick<AuditEntry, 'ms'>): string {
  if (ms === null) return '';
  return ms < 9.95 ? ms.toFixed(1) : String(Math.round(ms));
}

/** Old versions of a host leave it out: then nobody can say which calls passed a hook, nor that none did. */
export function unnamedText(unnamed: number): string {
  const what = unnamed === 1 ? 'it was about, and proves' : 'they were about, and prove';
  return `${plural(unnamed, 'hook')} of this session did not say which call ${what} nothing here.`;
}
