// A `tool_result` block: the end of a call, and for calls that make, wake or stop agents, whom it was about.

import type { CallOutcome, ToolCallId } from '../../../core/index.ts';
import { asObject, asText, type JsonObject, known } from '../../../lib/json.ts';
import { versionNumber } from '../../../lib/version-number.ts';
import { agentIdOf, atOf, callIdOf, type LineContext } from '../line-context.ts';
import { parseLine, type RawRecord, textOf } from '../record.ts';
import { firstLine, isMessaging, isShell, isSpawning, isStopping, isWorkflow } from '../tools.ts';

/** `details` is the line's toolUseResult: an object on success, a string on failure, absent inside agents of `-p` runs. */
export function parseResult(block: RawRecord, details: unknown, record: RawRecord, context: LineContext): void {
  const call = callIdOf(block['tool_use_id']);
  if (call === undefined) return;
  const tool = context.file.toolOf.get(call);
  const text = textOf(block['content']);
  const facts = asObject(details);
  const outcome = outcomeOf(block, text, record);
  const spawns = tool === undefined ? isReport(facts) : isSpawning(tool);
  const isWorkflowRun = tool !== undefined && isWorkflow(tool);
  const launched = (spawns || isWorkflowRun) && outcome === 'ok' && isLaunch(facts, text);
  const reason = outcome === 'ok' ? undefined : firstLine(asText(details) ?? text);
  const { agent } = context;
  context.emit({
    kind: 'tool-ended',
    agent,
    call,
    outcome,
    ...atOf(context),
    ...(launched && { launched }),
    ...(outcome !== 'ok' && isUnrun(text, tool) && { unrun: true }),
    ...known({ reason }),
  });
  for (const printed of outcome === 'refused' ? [] : context.file.commands.printed(call, text))
    context.emit({ kind: 'session-printed', agent, call, printed });
  if (outcome !== 'ok') return;
  if (spawns) nameAgent(call, facts, text, launched, context);
  else if (tool === undefined) return;
  else if (isMessaging(tool)) noteResume(call, facts ?? jsonIn(text), context);
  else if (isStopping(tool)) noteStop(facts ?? jsonIn(text), context);
  else if (isWorkflow(tool)) noteWorkflow(call, facts, context);
}

/**
 * The program's own words, before any hook and any permission: no such tool, an input that is none (2.0.76 to 2.1.325).
 * 1.0.60 says the first of them without a mark; there a command could say the same words.
 */
function isUnrun(text: string, tool: string | undefined): boolean {
  if (text.startsWith('<tool_use_error>')) return true;
  return tool !== undefined && !isShell(tool) && text === `Error: No such tool available: ${tool}`;
}

/** What stands in place of a result when the person said no, or pressed Escape: the agent's own lines tell which. */
const REFUSALS = [
  "The user doesn't want to proceed with this tool use",
  '[Request interrupted by user',
  'Permission to use ',
];

function outcomeOf(block: RawRecord, text: string, record: RawRecord): CallOutcome {
  if (block['is_error'] !== true) return 'ok';
  const refused =
    asText(record['toolDenialKind']) !== undefined || REFUSALS.some((refusal) => text.startsWith(refusal));
  return refused ? 'refused' : 'error';
}

/** A transcript that begins in the middle has the result and not the call: its structure tells an agent's report. */
function isReport(facts: JsonObject | undefined): boolean {
  return (
    asText(facts?.['agentId']) !== undefined && (facts?.['status'] === 'completed' || LAUNCHED.has(facts?.['status']))
  );
}

const LAUNCHED = new Set<unknown>(['async_launched', 'teammate_spawned']);

/** The first words of a launch, where the result has no structure beside its text. */
const LAUNCH_TEXTS = [
  /^Async agent launched successfully\.[\s\S]*^agentId: \S+ \(internal ID/m,
  /^Spawned successfully\.[\s\S]*^agent_id: /m,
];

function isLaunch(facts: JsonObject | undefined, text: string): boolean {
  return facts ? LAUNCHED.has(facts['status']) : LAUNCH_TEXTS.some((words) => words.test(text));
}

function nameAgent(
  call: ToolCallId,
  facts: JsonObject | undefined,
  text: string,
  launched: boolean,
  context: LineContext,
): void {
  const exact = asText(facts?.['agentId']) ?? asText(facts?.['agent_id']);
  const named = exact ?? (versionNumber(context.file.version) >= NAMED_IN_TEXT_SINCE ? idInText(text) : undefined);
  if (named === undefined) return;
  const agent = agentIdOf(named);
  if (launched) context.file.launched.add(agent);
  context.emit({
    kind: 'agent-linked',
    agent,
    evidence: exact ? 'result' : 'result-text',
    call,
    parent: context.agent,
  });
  if (!facts || exact === undefined) return;
  const isTeammate = facts['status'] === 'teammate_spawned';
  context.emit({
    kind: 'agent-seen',
    agent,
    ...known({
      type: asText(facts['agentType']) ?? asText(facts['agent_type']),
      name: isTeammate ? asText(facts['name']) : undefined,
      worktree: asText(facts['worktreePath']),
    }),
    ...(launched && { background: true }),
    ...(isTeammate && { agentKind: 'teammate' }),
  });
  const team = isTeammate ? asText(facts['team_name']) : undefined;
  if (team !== undefined) context.emit({ kind: 'agent-grouped', agent, group: team, groupKind: 'team' });
}

const NAMED_IN_TEXT_SINCE = versionNumber('2.0.72');

/** The agents of the run name only the run. */
function noteWorkflow(call: ToolCallId, facts: JsonObject | undefined, context: LineContext): void {
  const group = asText(facts?.['runId']);
  if (group === undefined) return;
  const name = asText(facts?.['workflowName']);
  context.emit({ kind: 'group-started', agent: context.agent, group, groupKind: 'workflow', call, ...known({ name }) });
}

/**
 * The host's own line stands at the start of a line after the report, which may quote another: the last one counts.
 * One-shot built-in types (Explore, Plan) get none from about 2.1.85.
 */
function idInText(text: string): string | undefined {
  return [...text.matchAll(/^agent(?:Id|_id): ([\w@.-]+)/gm)].at(-1)?.[1];
}

/** SendMessage to an agent at rest wakes it; to one at work it only leaves a message. */
function noteResume(call: ToolCallId, facts: JsonObject | undefined, context: LineContext): void {
  const resumed = asText(facts?.['resumedAgentId']);
  if (resumed === undefined) return;
  const agent = agentIdOf(resumed);
  context.file.launched.add(agent);
  context.emit({ kind: 'run-resumed', agent, id: call, call, ...atOf(context) });
}

function noteStop(facts: JsonObject | undefined, context: LineContext): void {
  const task = asText(facts?.['task_id']);
  if (task === undefined) return;
  context.emit({
    kind: 'run-ended',
    agent: agentIdOf(task),
    signal: 'stop-call',
    outcome: 'stopped',
    ...atOf(context),
  });
}

function jsonIn(text: string): JsonObject | undefined {
  return text.startsWith('{') ? asObject(parseLine(new TextEncoder().encode(text))) : undefined;
}
