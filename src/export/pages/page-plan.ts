import type { AgentReport } from '../../core/index.ts';
import type { Outline, PartPlace } from './outline.ts';
import { takePart, takeStem } from './safe-names.ts';
import type { SharedSession } from './shapes.ts';

/** Which file holds what: one plan for every format, so that all of them have the same links. */
export interface PagePlan {
  /** In the order of the tree, main first; only agents with something to read. */
  readonly pages: readonly AgentPages[];
  find(agent: string): AgentPages | undefined;
  /** Of one that has no page. */
  whyNot(agent: string): string;
  /** The call that made the agent, in the pages of the one who made it. */
  spawnOf(agent: AgentReport): PlacedCall | undefined;
}

export interface AgentPages {
  readonly agent: AgentReport;
  readonly outline: Outline;
  /** File names without their ending, one for each part. */
  readonly files: readonly string[];
}

export interface PlacedCall {
  readonly pages: AgentPages;
  readonly place: PartPlace;
}

export function planPages(
  { agents, skipped }: Pick<SharedSession, 'agents' | 'skipped'>,
  outlines: readonly Outline[],
): PagePlan {
  const outlineOf = new Map(outlines.map((outline) => [outline.agent, outline]));
  const known = agents.flatMap((agent) => {
    const outline = outlineOf.get(agent.id);
    // The main agent's is the first page, whatever stands in it.
    return outline && (outline.messages > 0 || agent.kind === 'main') ? [{ agent, outline }] : [];
  });
  // First pages are named first: a part gives way to an agent whose id happens to be its name.
  const taken = new Set(['index', 'sessions']);
  const stems = known.map(({ agent }) => (agent.kind === 'main' ? 'index' : takeStem(agent.id, taken)));
  const pages = known.map(({ agent, outline }, index): AgentPages => {
    const stem = stems[index] ?? 'index';
    const more = outline.parts.slice(1).map((_first, at) => takePart(stem, at + 2, taken));
    return { agent, outline, files: [stem, ...more] };
  });
  const byAgent = new Map(pages.map((page) => [page.agent.id, page]));
  const reasons = new Map(skipped.map((one) => [one.agent_id, one.reason]));
  return {
    pages,
    find: (agent) => byAgent.get(agent),
    whyNot: (agent) => reasons.get(agent) ?? 'nothing of it was written down',
    spawnOf: (agent) => findSpawn(agent, byAgent, pages),
  };
}

/** In the parent's transcript by the call's id; a fork's call may stand in an older relative's. */
function findSpawn(
  { id, parentId, toolUseId }: AgentReport,
  byAgent: ReadonlyMap<string, AgentPages>,
  pages: readonly AgentPages[],
): PlacedCall | undefined {
  const parent = parentId === null ? undefined : byAgent.get(parentId);
  const first = parent ? [parent] : pages;
  for (const page of first) {
    const place = toolUseId === null ? undefined : page.outline.calls.get(toolUseId);
    if (place && page.agent.id !== id) return { pages: page, place };
  }
  return undefined;
}

export function partOf({ outline }: AgentPages, message: number): number {
  return Math.max(
    0,
    outline.parts.findLastIndex((first) => first <= message),
  );
}

/** From 1, as people count; the same in every format, and as long as the messages before it are. */
export function messageAnchor(message: number): string {
  return `m-${message + 1}`;
}

export function partAnchor({ message, part }: PartPlace): string {
  return `${messageAnchor(message)}-${part + 1}`;
}

export type PageEnding = 'html' | 'md';

export function hrefOfPart({ files }: AgentPages, part: number, ending: PageEnding): string {
  return `${files[part] ?? files[0]}.${ending}`;
}

export function hrefOfMessage(pages: AgentPages, message: number, ending: PageEnding): string {
  return `${hrefOfPart(pages, partOf(pages, message), ending)}#${messageAnchor(message)}`;
}

export function hrefOfCall({ pages, place }: PlacedCall, ending: PageEnding): string {
  return `${hrefOfPart(pages, partOf(pages, place.message), ending)}#${partAnchor(place)}`;
}
