import {
  type AgentReport,
  type Cell,
  type Column,
  callsText,
  cleanLine,
  contextText,
  cutTo,
  doingText,
  type ExplanationReport,
  formatAge,
  formatMark,
  formatStatus,
  formatTable,
  linkText,
  originTexts,
  outputText,
  type Paint,
  PLAIN,
  plural,
  runsText,
  shortId,
  type TreeReport,
  timeText,
  typeText,
  uniqueLength,
} from '../../core/index.ts';
import { groupBy } from '../../lib/group.ts';
import { known } from '../../lib/json.ts';
import type { TextOptions } from './session-table.ts';

/** `troupe tree` for people: who asked whom, how each is doing, and how the links are known. */
export function formatTree(report: TreeReport, options: TextOptions): readonly string[] {
  const { paint, width } = options;
  const idLength = uniqueLength(report.agents.map(({ id }) => id));
  const rows = branchesOf(report.agents).map((branch) => rowOf(branch, idLength, options));
  const table = formatTable(COLUMNS, rows, { header: paint.dim, ...known({ width }) });
  return [...headOf(report, options), '', ...table, ...notesOf(report, paint)];
}

function headOf({ session }: TreeReport, { paint, width, now }: TextOptions): readonly string[] {
  const cut = (text: string): string => (width === undefined ? text : cutTo(text, width));
  const title = cleanLine(session.title ?? 'untitled session');
  const facts = [
    session.status,
    formatAge(session.lastActivityAt, now),
    plural(session.agents, 'agent'),
    ...(session.running > 0 ? [`${session.running} at work`] : []),
    `${outputText(session)} output tokens`,
    ...originTexts(session),
  ];
  const place = [session.id, `${session.host} ${session.hostVersion ?? ''}`.trim(), session.branch, session.cwd];
  const where = place.flatMap((part) => (part === null ? [] : cleanLine(part))).join(' · ');
  return [paint.bold(cut(title)), cut(facts.join(' · ')), paint.dim(cut(where))];
}

const COLUMNS: readonly Column[] = [
  { title: 'agent', shrinkTo: 30 },
  { title: 'id', dropOrder: 4 },
  { title: 'type', shrinkTo: 12, dropOrder: 3 },
  { title: 'status' },
  { title: 'doing', shrinkTo: 16 },
  { title: 'model', shrinkTo: 17, dropOrder: 1 },
  { title: 'calls', align: 'right', dropOrder: 5 },
  { title: 'output', align: 'right', dropOrder: 7 },
  { title: 'context', align: 'right', dropOrder: 2 },
  { title: 'time', align: 'right', dropOrder: 6 },
  { title: 'link' },
];

function rowOf({ agent, stem }: Branch, idLength: number, { paint, now }: TextOptions): readonly Cell[] {
  const label = agent.kind === 'main' ? 'main' : cleanLine(agent.label);
  const mark = formatMark(agent.status, agent.stalled, PLAIN);
  return [
    { text: `${stem}${mark} ${label}`, paint: (text) => paintLabel(text, stem, agent, paint) },
    { text: cleanLine(shortId(agent.id, idLength)), paint: paint.dim },
    { text: cleanLine(typeText(agent)), paint: paint.dim },
    { text: formatStatus(agent) + runsText(agent) },
    { text: cutTo(cleanLine(doingText(agent)), MAX_DOING) },
    { text: cleanLine(agent.model ?? '–'), paint: paint.dim },
    { text: callsText(agent) },
    { text: outputText(agent) },
    { text: contextText(agent) },
    { text: timeText(agent, now) },
    { text: linkText(agent), paint: paint.yellow },
  ];
}

/** Also where nothing limits the line: one long reason must not push everything else away. */
const MAX_DOING = 100;

function paintLabel(text: string, stem: string, agent: AgentReport, paint: Paint): string {
  const rest = text.slice(stem.length);
  const label = rest.slice(2);
  const painted = agent.kind === 'main' ? paint.bold(label) : paint.agent(agent.hue, label);
  return `${paint.dim(stem)}${formatMark(agent.status, agent.stalled, paint)} ${painted}`;
}

function notesOf({ session, agents, diagnostics }: TreeReport, paint: Paint): readonly string[] {
  const hidden = session.internalAgents - agents.filter(({ kind }) => kind === 'internal').length;
  const notes = [
    ...(hidden > 0 ? [`${plural(hidden, 'internal agent')} hidden: show with --internal`] : []),
    ...(agents.some(({ background }) => background) ? ['& in the background'] : []),
    ...([session, ...agents].some((one) => outputText(one).startsWith('≥'))
      ? ['≥ the host recorded only a part of these tokens']
      : []),
    ...diagnostics.items.map(({ count, text, examples }) => {
      const detail = examples[0]?.detail;
      return `${count} × ${text}${detail ? ` (${cleanLine(detail)}${count > 1 ? ' …' : ''})` : ''}`;
    }),
    ...(diagnostics.ignoredFiles > 0 ? [`${plural(diagnostics.ignoredFiles, 'file')} there not known to troupe`] : []),
  ];
  return notes.length === 0 ? [] : ['', ...notes.map(paint.dim)];
}

export interface Branch {
  readonly agent: AgentReport;
  /** The box-drawing lines left of it. */
  readonly stem: string;
}

/** Parents before children, as they come; orphans stand at the left edge. `twig`: of the line that leads to an agent, three columns wide. */
export function branchesOf(
  agents: readonly AgentReport[],
  twig = (_agent: AgentReport, isLast: boolean): string => (isLast ? '└─ ' : '├─ '),
): readonly Branch[] {
  const known = new Set(agents.map(({ id }) => id));
  const children = groupBy(agents, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : undefined));
  const branches: Branch[] = [];
  const stack = [...(children.get(undefined) ?? [])].reverse().map((agent) => ({ agent, stem: '', below: '' }));
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { agent, stem, below } = place;
    branches.push({ agent, stem });
    const list = children.get(agent.id) ?? [];
    for (let at = list.length - 1; at >= 0; at--) {
      const child = list[at];
      const isLast = at === list.length - 1;
      if (child)
        stack.push({ agent: child, stem: below + twig(child, isLast), below: `${below}${isLast ? '   ' : '│  '}` });
    }
  }
  return branches;
}

type Place = ExplanationReport['facts'][number]['place'];

/** `troupe tree --explain` for people: each fact with the place it was read at; ✓ marks what was believed. */
export function formatExplanation(report: ExplanationReport, paint: Paint): readonly string[] {
  const { link } = report;
  const head = (text: string): string => paint.bold(cleanLine(text));
  const fact = (text: string, place: Place | null, believed = false): string =>
    `${believed ? '✓' : ' '} ${cleanLine(text)}${place ? paint.dim(`  ${cleanLine(`${place.source} @ ${place.offset}`)}`) : ''}`;
  const parent = link.parentId === null ? 'no parent known' : `asked for by ${link.parentId}`;
  return [
    head(`${report.id}: ${report.status}`),
    '',
    head(`Link: ${listed(parent, link.toolUseId && `call ${link.toolUseId}`, link.rank, link.source)}`),
    ...link.claims.map(({ source, rank, text, toolUseId, parentId, place, believed }) => {
      const ids = [toolUseId && `call ${toolUseId}`, parentId && `parent ${parentId}`];
      return fact(listed(`${source} (${rank}): ${text}`, ...ids), place, believed);
    }),
    ...(link.candidates.length > 0 ? [fact(`candidates: ${link.candidates.join(', ')}`, null)] : []),
    '',
    head('Runs'),
    ...report.runs.map(({ toolUseId, status, signal, reason }) =>
      fact(`${toolUseId ?? 'no call known'}: ${status} by ${signal}${reason ? `, «${reason}»` : ''}`, null),
    ),
    '',
    head('What was said about its end'),
    ...report.ends.map(({ signal, outcome, at, place, believed }) =>
      fact(`${signal}: ${outcome}, ${at ?? 'no time'}`, place, believed),
    ),
    '',
    head('Facts'),
    ...report.facts.map(({ field, value, place }) => fact(`${field}: ${String(value)}`, place)),
    '',
    head('Messages and their output tokens'),
    ...report.messages.map(({ id, model, output, isPlaceholder, alsoIn, place }) => {
      const also = alsoIn.length > 0 && `also in ${alsoIn.join(', ')}`;
      return fact(listed(`${id} ${output}`, model, isPlaceholder && 'only a placeholder', also), place);
    }),
  ];
}

function listed(...parts: readonly (string | false | null)[]): string {
  return parts.filter(Boolean).join(', ');
}
