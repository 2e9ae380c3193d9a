import {
  type AgentReport,
  cleanLine,
  contextText,
  cutTo,
  doingText,
  type EvidenceReport,
  formatDuration,
  formatStatus,
  standingOf,
  typeText,
} from '../../../../src/core/index.ts';
import { nameOf } from '../../store.ts';
import type { Frame } from './tree-layout.ts';

export function kindText(agent: AgentReport): string {
  const type = cleanLine(typeText({ ...agent, background: null }));
  if (agent.kind === 'main') return 'main agent';
  return agent.background ? `${type} · in background` : type;
}

export function statusText(agent: AgentReport, now: number): string {
  if (standingOf(agent) !== 'silent' || agent.lastActivityAt === null) return formatStatus(agent);
  return `silent for ${formatDuration(now - Date.parse(agent.lastActivityAt))}`;
}

export function nowText(agent: AgentReport): string {
  return cleanLine(doingText(agent));
}

export function tokensText(agent: AgentReport): string {
  return contextText(agent);
}

export function tokensTitle({ contextTokens, contextWindow }: AgentReport): string {
  if (contextTokens === null) return 'How full its context is is not known';
  const used = `${contextTokens.toLocaleString('en')} tokens in its context`;
  return contextWindow === null ? used : `${used} of ${contextWindow.toLocaleString('en')}`;
}

const RANKS = {
  exact: 'certain',
  strong: 'strong evidence',
  guess: 'a guess',
  none: 'no parent known',
} as const;

const ASKER_COLUMNS = 48;

/** How somebody is called as the one who asked. */
export function askerText(agent: AgentReport): string {
  return agent.kind === 'main' ? 'the main agent' : cutTo(nameOf(agent), ASKER_COLUMNS);
}

/** Who asked for it, and how that is known. */
export function evidenceText(evidence: EvidenceReport | null, parent: string | undefined): string {
  if (evidence === null) return '';
  if (evidence.rank === 'none' || parent === undefined) return `No parent known: ${evidence.text}`;
  return `Asked by ${parent} (${RANKS[evidence.rank]}: ${evidence.text})`;
}

export function groupText({ kind, name }: Pick<Frame, 'kind' | 'name'>): string {
  return name === null ? kind : `${kind} ${cleanLine(name)}`;
}
