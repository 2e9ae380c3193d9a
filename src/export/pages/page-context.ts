import { type AgentReport, cleanLine } from '../../core/index.ts';
import type { Voice } from '../../core/transcript/index.ts';
import type { AgentPages, PagePlan } from './page-plan.ts';
import { nameAndType, nameOf, sessionTitle } from './page-texts.ts';
import type { SharedSession } from './shapes.ts';

/** What is known while the pages of one agent are drawn. */
export interface PageContext {
  readonly shared: SharedSession;
  readonly plan: PagePlan;
  readonly pages: AgentPages;
  readonly speakers: Readonly<Record<Voice, Speaker>>;
  agent(id: string): AgentReport | undefined;
}

export interface Speaker {
  readonly name: string;
  /** Of its colour; the main agent and everybody who is none are neutral. */
  readonly hue: number | null;
}

export function createContext(shared: SharedSession, plan: PagePlan, pages: AgentPages): PageContext {
  const byId = new Map(shared.agents.map((agent) => [agent.id, agent]));
  const { agent } = pages;
  const parent = agent.parentId === null ? undefined : byId.get(agent.parentId);
  return {
    shared,
    plan,
    pages,
    agent: (id) => byId.get(id),
    speakers: {
      person: { name: 'user', hue: null },
      parent: { name: parent ? nameOf(parent) : 'whoever asked', hue: parent?.hue ?? null },
      agent: { name: nameOf(agent), hue: agent.hue },
      host: { name: cleanLine(agent.host === shared.session.host ? shared.session.hostTitle : agent.host), hue: null },
    },
  };
}

/** The class that gives an element an agent's colour. */
export function hueClass(hue: number | null): string {
  return hue === null ? 'h' : `h h${hue % 12}`;
}

/** From the main agent down to the one that asked for this one. */
export function ancestorsOf({ pages, agent: find }: PageContext): readonly AgentReport[] {
  const path: AgentReport[] = [];
  for (let above = pages.agent.parentId; above !== null; ) {
    const parent = find(above);
    // What asks for itself, over however many steps, asks for ever.
    if (!parent || path.includes(parent)) break;
    path.unshift(parent);
    above = parent.parentId;
  }
  return path;
}

/** Of the whole page: what was asked. */
export function pageTitle({ shared, plan, pages }: PageContext, part: number): string {
  const main = plan.pages.find(({ agent }) => agent.kind === 'main');
  const session = sessionTitle(shared.session, main?.outline.asked);
  const own = pages === main ? session : `${nameAndType(pages.agent)} · ${session}`;
  return pages.files.length < 2 ? own : `${own} (part ${part + 1} of ${pages.files.length})`;
}
