// The tools that read: what agents ask about sessions that they may see. Everything is computed by the reports that other UIs use.

import path from 'node:path';
import {
  type AgentNode,
  type AgentReport,
  type AuditEntry,
  type AuditFilter,
  type BudgetHolder,
  type BudgetReport,
  computeAgent,
  computeListEntry,
  computeSessionList,
  computeSpend,
  DECISIONS,
  hostOf,
  isBusy,
  localDay,
  nativeId,
  type SessionId,
  type SessionTree,
  SPEND_DIMENSIONS,
  type SpendDimension,
  selectAgents,
  type ToolUseBlock,
  type TranscriptMessage,
} from '../core/index.ts';
import { asAmount, asText, known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { parseWhen } from '../lib/when.ts';
import { type Found, type Item, toBlock } from './answers.ts';
import { agentIn, agentsIn, pagesOf, projectOf, realFolder, type Sight, searchSecrets, sessionIn } from './caller.ts';

export type Input = Readonly<Record<string, unknown>>;

interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** The fields of an item. */
  readonly item: Readonly<Record<string, object>>;
  find(sight: Sight, input: Input): Promise<Found> | Found;
}

const text = (description: string) => ({ type: 'string', maxLength: 2_000, description });
const count = (description: string, maximum: number) => ({ type: 'integer', minimum: 1, maximum, description });
const FROM = { type: 'integer', minimum: 0, description: 'Number of the first item, from 0: to read on' };
const STRING = { type: 'string' };
const OPTIONAL = { type: ['string', 'null'] };
const NUMBER = { type: ['number', 'null'] };
const FLAG = { type: 'boolean' };

export const TOOLS: Readonly<Record<string, Tool>> = {
  list_sessions: {
    title: 'List sessions',
    description:
      'Sessions of coding agents in this project, last active first: who worked here before, and who works here now. ' +
      'query takes words and filters: status:failed, type:Explore, model:opus, after:3d.',
    input: { query: text('Words and filters'), from: FROM, limit: count('Maximum number of items; default 20', 100) },
    item: {
      ...{ id: STRING, host: STRING, title: OPTIONAL, status: OPTIONAL, agents: NUMBER, running: NUMBER, usd: NUMBER },
      ...{ output_tokens: NUMBER, started_at: OPTIONAL, last_activity_at: OPTIONAL, is_yours: FLAG },
    },
    find: listSessions,
  },
  list_agents: {
    title: 'List the agents of a session',
    description:
      'Agents of one session in the order of its tree: who started whom, what each was asked to do, its status, tokens and cost.',
    input: {
      session: text('Beginning of its id; default: your own session'),
      from: FROM,
      limit: count('Maximum number of items; default 50', 200),
    },
    item: agentFields(),
    find: (sight, input) => page(rowsOf(sessionIn(sight, asText(input['session']))), input, 50),
  },
  who_is_running: {
    title: 'Who is running',
    description: 'Agents at work right now in all sessions of this project, with their current tool.',
    input: { from: FROM, limit: count('Maximum number of items; default 50', 200) },
    item: agentFields(),
    find: (sight, input) =>
      page(
        sight.trees.flatMap((tree) => rowsOf(tree, selectAgents(tree).filter(isBusy))),
        input,
        50,
      ),
  },
  search: {
    title: 'Search messages',
    description:
      'Messages of all sessions and agents in this project by their words: what was asked, said, run and printed. ' +
      'Every word has to be in the message; "in quotes" as a phrase; filters: agent, type, tool, file, status, before, after.',
    input: { query: text('Words, phrases and filters'), limit: count('Maximum number of sessions; default 5', 20) },
    required: ['query'],
    item: {
      ...{ session_id: STRING, agent_id: STRING, agent: OPTIONAL, type: OPTIONAL, message: { type: 'integer' } },
      ...{ at: OPTIONAL, kind: STRING, tool: OPTIONAL, text: STRING },
    },
    find: search,
  },
  read_transcript: {
    title: 'Read a transcript',
    description:
      'Messages of one agent: what it was told, said and did, with the results of its tools. Long texts are shortened; ' +
      'ask for one with from (its message), block and skip.',
    input: {
      agent: text('Id or its beginning, name, or description; of a main agent the id of its session'),
      session: text('Beginning of the id of its session, if several agents have that name'),
      from: {
        type: 'integer',
        description: 'Number of the first message, from 0; negative: counted from the end. Default 0',
      },
      limit: count('Maximum number of messages; default 20', 100),
      block: { type: 'integer', minimum: 0, description: 'Only this block of the message from' },
      skip: { type: 'integer', minimum: 0, description: 'With block: number of its characters to leave out' },
    },
    required: ['agent'],
    item: {
      ...{ message: { type: 'integer' }, role: STRING, at: OPTIONAL, blocks_left_out: { type: 'integer' } },
      blocks: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            ...{ block: { type: 'integer' }, type: STRING, tool: OPTIONAL, tool_use_id: OPTIONAL, is_error: FLAG },
            ...{ agent_id: OPTIONAL, text: STRING, characters: { type: 'integer' } },
          },
        },
      },
    },
    find: readTranscript,
  },
  who_changed_file: {
    title: 'Who changed a file',
    description:
      'Calls of Edit, Write and similar tools that changed a file, newest first, with agent and time. Only recorded changes: ' +
      'what commands changed (sed, git, formatters) is not in it.',
    input: {
      path: text('Absolute, or relative to the project'),
      from: FROM,
      limit: count('Maximum number of calls; default 30', 200),
    },
    required: ['path'],
    item: {
      ...{ at: OPTIONAL, session_id: STRING, agent_id: STRING, agent: STRING, type: OPTIONAL, tool: OPTIONAL },
      ...{ tool_use_id: STRING, path: STRING, added: NUMBER, removed: NUMBER, message: { type: 'integer' } },
    },
    find: whoChangedFile,
  },
  cost: {
    title: 'Cost, and budget left',
    description:
      'What sessions of this project cost, in dollars and tokens, sub-agents included; and the budgets of the policy with what is left of each.',
    input: {
      by: { enum: SPEND_DIMENSIONS, description: 'One item for each; default: session' },
      since: text('2h, 7d, today, 2026-11-15; default: 30d'),
      session: text('Only this session: the beginning of its id'),
      from: FROM,
      limit: count('Maximum number of items; default 20', 100),
    },
    item: {
      ...{ kind: { enum: ['total', 'budget', 'spent'] }, label: STRING, id: OPTIONAL, status: OPTIONAL },
      ...{ usd: NUMBER, is_lower_bound: FLAG, tokens: NUMBER, used: { type: 'array', items: STRING } },
    },
    find: cost,
  },
  policy_decisions: {
    title: 'Decisions of the policy',
    description:
      'What the guard decided about tool calls in this project, newest first: allowed, asked, denied, by which rule, why, and who answered.',
    input: {
      decision: { enum: DECISIONS, description: 'Only these' },
      agent: text('Beginning of its id, name, or label; main or subagent'),
      tool: text('Name of the tool'),
      session: text('Beginning of the id of the session'),
      since: text('2h, 7d, today, 2026-11-15'),
      from: FROM,
      limit: count('Maximum number of items; default 20', 100),
    },
    item: {
      ...{ n: { type: 'integer' }, at: STRING, decision: STRING, reason: OPTIONAL, rule: OPTIONAL, tool: OPTIONAL },
      ...{ summary: OPTIONAL, session_id: OPTIONAL, agent_id: OPTIONAL, agent: { type: 'array', items: STRING } },
      answered_by: OPTIONAL,
    },
    find: policyDecisions,
  },
};

function agentFields() {
  return {
    ...{
      id: STRING,
      session_id: STRING,
      host: STRING,
      parent_id: OPTIONAL,
      depth: NUMBER,
      kind: STRING,
      agent: STRING,
    },
    ...{ type: OPTIONAL, description: OPTIONAL, status: STRING, waiting_on: OPTIONAL, silent: FLAG, activity: STRING },
    ...{ tool: OPTIONAL, tool_summary: OPTIONAL, model: OPTIONAL, tool_calls: NUMBER, messages: NUMBER, usd: NUMBER },
    ...{ started_at: OPTIONAL, last_activity_at: OPTIONAL, completed_at: OPTIONAL },
  };
}

function page(items: readonly Item[], input: Input, limit: number, notes: readonly string[] = []): Found {
  const from = asAmount(input['from']) ?? 0;
  return {
    items: items.slice(from, from + (asAmount(input['limit']) ?? limit)),
    total: items.length,
    from,
    notes,
  };
}

function listSessions({ trees, older, caller, services }: Sight, input: Input): Found {
  const { hosts, clock } = services;
  const from = asAmount(input['from']) ?? 0;
  const request = { query: asText(input['query']) ?? '', sort: 'time', group: 'none' } as const;
  const { problem, matching, sessions } = computeSessionList(
    trees.map(computeListEntry),
    { ...request, from, limit: asAmount(input['limit']) ?? 20 },
    { hosts, now: clock(), dayOf: localDay },
  );
  if (problem) throw new UserError('bad-query', problem.message, problem.remedy);
  const own = caller?.session && nativeId(caller.session);
  return {
    total: matching,
    from,
    notes: older > 0 ? [`${older} older sessions, of any project, were not looked at.`] : [],
    items: sessions.map((one) => ({
      ...{ id: one.id, host: one.host, title: one.title, status: one.status, agents: one.agents, running: one.running },
      ...{ usd: one.usd, output_tokens: one.outputTokens, started_at: one.startedAt },
      ...{ last_activity_at: one.lastActivityAt, is_yours: one.id === own },
    })),
  };
}

function rowsOf(tree: SessionTree, agents: readonly AgentNode[] = selectAgents(tree)): readonly Item[] {
  return agents.map((agent) => agentRow(computeAgent(agent, tree.id, undefined)));
}

function agentRow(one: AgentReport): Item {
  return {
    ...{ id: one.id, session_id: one.ownSessionId, host: one.host, parent_id: one.parentId, depth: one.depth },
    ...{ kind: one.kind, agent: one.label, type: one.type, description: one.description, status: one.status },
    ...{ waiting_on: one.waitingOn, silent: one.stalled, activity: one.activity, tool: one.currentTool },
    ...{ tool_summary: one.currentToolSummary, model: one.model, tool_calls: one.toolCallCount },
    ...{ messages: one.messageCount, usd: one.cost?.usd ?? null, started_at: one.startedAt },
    ...{ last_activity_at: one.lastActivityAt, completed_at: one.completedAt },
  };
}

const PATIENCE_MS = 2_000;

async function search({ trees, services }: Sight, input: Input): Promise<Found> {
  const visible = new Set(trees.flatMap(({ id, agents }) => [id, ...agents.flatMap(({ session }) => session ?? [])]));
  const report = await services.search({
    ...{ where: { roots: [] }, text: asText(input['query']) ?? '', limit: asAmount(input['limit']) ?? 5 },
    ...{ perSession: 4, patience: PATIENCE_MS, isRedacted: true, isVisible: (id: SessionId) => visible.has(id) },
  });
  if (report.problem) throw new UserError('bad-query', report.problem.message, report.problem.remedy);
  const { state, isComplete } = report.index;
  if (state !== 'on')
    throw new UserError(
      'text-not-indexed',
      'The text of sessions is not indexed, and only the person can allow that (in a terminal: troupe index text on).',
      'Until then: list_sessions, list_agents, read_transcript.',
    );
  const items = report.sessions.flatMap(({ id, messages }) =>
    messages.map((hit) => ({
      ...{ session_id: id, agent_id: hit.agentId, agent: hit.agentLabel, type: hit.agentType, message: hit.index },
      ...{ at: hit.at, kind: hit.kind, tool: hit.tool, text: hit.snippet.map((piece) => piece.text).join('') },
    })),
  );
  return {
    items,
    total: null,
    from: 0,
    notes: [
      `${report.hits} messages in ${report.matchingSessions} sessions match. Read on with read_transcript, from: message.`,
      ...(isComplete ? [] : ['Some sessions are not indexed yet; ask again for those.']),
    ],
  };
}

/** A text of a block, if it is not asked for alone. */
const BLOCK_TEXT = 1_500;
const WHOLE_TEXT = 12_000;
/** Of a message; the others can be asked for one by one. */
const MAX_BLOCKS = 50;

async function readTranscript(sight: Sight, input: Input): Promise<Found> {
  const { services, redactor } = sight;
  const agent = agentIn(sight, asText(input['agent']) ?? '', asText(input['session']));
  const isSearched = await searchSecrets(sight, agent);
  const { id, session } = agent;
  const { total } = await services.transcripts.read(id, session, { from: 0, limit: 1 });
  const wanted = typeof input['from'] === 'number' ? input['from'] : 0;
  const from = Math.max(0, wanted < 0 ? total + wanted : wanted);
  const alone = asAmount(input['block']);
  const limit = alone === undefined ? (asAmount(input['limit']) ?? 20) : 1;
  const skip = alone === undefined ? 0 : (asAmount(input['skip']) ?? 0);
  const { transcript } = await services.transcripts.read(id, session, { from, limit });
  redactor.scan(transcript.messages);
  const items = transcript.messages.map((message, index): Item => {
    const { role, timestamp, content } = redactor.redactValue<TranscriptMessage>(message);
    const blocks = content.map((block, number) => toBlock(block, number, skip));
    return {
      message: from + index,
      role,
      at: timestamp,
      blocks: alone === undefined ? blocks.slice(0, MAX_BLOCKS) : blocks.slice(alone, alone + 1),
      ...(alone === undefined && blocks.length > MAX_BLOCKS && { blocks_left_out: blocks.length - MAX_BLOCKS }),
    };
  });
  const notes = [
    ...(isSearched
      ? []
      : ['The session is long: not all of it was searched for secrets that may stand here without their names.']),
    ...(transcript.known_from === 'transcript'
      ? []
      : ['Its transcript is gone: only its prompt and its result are known.']),
    ...(alone === undefined
      ? []
      : ['To read on in this block: skip = characters minus the number of more characters.']),
  ];
  return { items, total, from, notes, maxText: alone === undefined ? BLOCK_TEXT : WHOLE_TEXT };
}

/** After this, the agent is told where to go on. */
const LOOK_MS = 8_000;

async function whoChangedFile(sight: Sight, input: Input): Promise<Found> {
  const { trees, caller, services } = sight;
  const wanted = asText(input['path']) ?? '';
  if (!path.isAbsolute(wanted) && !caller)
    throw new UserError('relative-path', 'Relative to which project is not known.', 'Give an absolute path.');
  const file = realFile(path.resolve(caller?.project ?? '/', wanted));
  const until = performance.now() + LOOK_MS;
  const calls: (Item & { readonly at: string | null })[] = [];
  const newest = trees.toSorted((a, b) => (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0));
  const all = agentsIn(newest);
  let left = all.length;
  for (const agent of all) {
    if (performance.now() > until) break;
    left--;
    const { id, session, node, tree } = agent;
    if (node.sources.length === 0) continue;
    const cwd = node.cwd ?? tree.cwd ?? '/';
    const { label, type } = computeAgent(node, tree.id, undefined);
    for await (const { at, messages } of pagesOf(services, agent))
      for (const change of changesIn(messages, at))
        if (change.path.endsWith(path.basename(file)) && realFile(path.resolve(cwd, change.path)) === file)
          calls.push({ ...change, session_id: session, agent_id: id, agent: label, type });
  }
  calls.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1));
  return page(calls, input, 30, [
    ...(left > 0 ? [`${left} agents, of the oldest sessions, were not looked at: there was no time.`] : []),
    ...(calls.length === 0 ? ['No recorded call changed this file; a command may have.'] : []),
  ]);
}

/** The file itself may be gone. */
function realFile(file: string): string {
  return path.join(realFolder(path.dirname(file)), path.basename(file));
}

function changesIn(messages: readonly TranscriptMessage[], from: number) {
  return messages.flatMap(({ content, timestamp }, index) => {
    const message = from + index;
    const uses = new Map(
      content.flatMap((block): [string, ToolUseBlock][] =>
        block.type === 'tool_use' ? [[block.tool_use_id, block]] : [],
      ),
    );
    return content.flatMap((block) =>
      block.type !== 'tool_result'
        ? []
        : (block.changes ?? []).map((change) => ({
            ...{ at: timestamp, tool: uses.get(block.tool_use_id)?.name ?? null, tool_use_id: block.tool_use_id },
            ...{ path: change.path, added: change.added, removed: change.removed, message },
          })),
    );
  });
}

function timeOf(input: Input, now: number): number | undefined {
  const said = asText(input['since']);
  if (said === undefined) return undefined;
  const when = parseWhen(said);
  if (!when) throw new UserError('bad-time', 'since is not a time.', 'Give 2h, 3d, today or 2026-11-15.');
  return when(now).from;
}

const SPENT_MS = 30 * 86_400_000;

async function cost(sight: Sight, input: Input): Promise<Found> {
  const { services, caller } = sight;
  const now = services.clock();
  const chosen = input['session'] === undefined ? sight.trees : [sessionIn(sight, asText(input['session']))];
  const by = (asText(input['by']) ?? 'session') as SpendDimension;
  const since = timeOf(input, now) ?? now - SPENT_MS;
  const { total, rows, unpriced } = computeSpend(chosen, { by, now, since });
  const { budgets } = await services.budgets(caller?.project ?? process.cwd());
  const ids = new Set(sight.trees.map(({ id }) => nativeId(id)));
  const items: Item[] = [
    { kind: 'total', label: 'all of it', ...spent(total) },
    ...budgets.flatMap((budget) => budgetRows(budget, ids, sight)),
    ...rows.map((row) => ({
      kind: 'spent',
      label: row.label,
      id: row.agentId ?? row.sessionId,
      status: row.status,
      ...spent(row.total),
    })),
  ];
  const notes = unpriced.length > 0 ? ['Some models have no known price: their cost is not in the dollars.'] : [];
  return page(items, input, 20, notes);
}

function spent({ cost: { usd, isLowerBound }, tokens }: ReturnType<typeof computeSpend>['total']): Item {
  return { usd, is_lower_bound: isLowerBound, tokens };
}

/** Of other projects only what is used up together with this one, without names. */
function budgetRows(
  budget: BudgetReport,
  ids: ReadonlySet<string>,
  { caller, seesEverything }: Sight,
): readonly Item[] {
  const { name, per, holders } = budget;
  const isOwn = ({ sessionId, label }: BudgetHolder): boolean =>
    sessionId === null
      ? per === 'day' || (caller !== undefined && projectOf(label) === caller.project)
      : ids.has(sessionId);
  return holders
    .filter((holder) => seesEverything || isOwn(holder))
    .map(({ label, state, uses, sessionId, agentId }) => ({
      ...{ kind: 'budget', label: `${name}: ${label}`, id: agentId ?? sessionId, status: state },
      used: uses.map((use) => use.text),
    }));
}

/** The log is read from its end, and holds all projects. */
const AUDIT_PART = 1_000;
const AUDIT_MOST = 20_000;

async function policyDecisions(sight: Sight, input: Input): Promise<Found> {
  const { services, trees, seesEverything } = sight;
  const session = input['session'] === undefined ? undefined : nativeId(sessionIn(sight, asText(input['session'])).id);
  const filter: AuditFilter = known({
    ...{ session, agent: asText(input['agent']), tool: asText(input['tool']), since: timeOf(input, services.clock()) },
    decision: asText(input['decision']) as AuditFilter['decision'],
  });
  const visible = new Set(agentsIn(trees).map((one) => `${hostOf(one.node.id)} ${one.session}`));
  const isVisible = (entry: AuditEntry): boolean =>
    seesEverything || (entry.session !== null && visible.has(`${entry.host} ${entry.session}`));
  const from = asAmount(input['from']) ?? 0;
  const limit = asAmount(input['limit']) ?? 20;
  const found = new Map<number, AuditEntry>();
  const read = new Set<number>();
  let until: number | undefined;
  let hasMore = true;
  while (hasMore && found.size <= from + limit && read.size < AUDIT_MOST) {
    const part = await services.audit({ ...filter, ...known({ until }) }, AUDIT_PART);
    const fresh = part.entries.filter(({ n }) => !read.has(n));
    for (const entry of fresh.toReversed()) {
      read.add(entry.n);
      if (isVisible(entry)) found.set(entry.n, entry);
    }
    hasMore = part.hasMore && fresh.length > 0;
    until = Date.parse(part.entries[0]?.at ?? '') || undefined;
  }
  const all = [...found.values()];
  return {
    items: all.slice(from, from + limit).map(decisionRow),
    total: hasMore ? null : all.length,
    from,
    hasMore: all.length > from + limit,
    notes: hasMore && read.size >= AUDIT_MOST ? [`Only the newest ${read.size} decisions were looked at.`] : [],
  };
}

function decisionRow(entry: AuditEntry): Item {
  const { n, at, decision, reason, rule, tool, summary, session, agent, answeredBy } = entry;
  return {
    ...{ n, at, decision, reason, rule, tool, summary, session_id: session, agent_id: agent.id, agent: agent.path },
    // Names of people in a chat are not for agents.
    answered_by: typeof answeredBy === 'object' ? 'chat' : (answeredBy ?? null),
  };
}
