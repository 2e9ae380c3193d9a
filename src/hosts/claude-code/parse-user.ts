// `user`: prompts, results of tools, and what the harness says in the user's name.

import {
  type AgentId,
  type CallOutcome,
  type EntryKind,
  MESSAGE_DELIVERY,
  mainAgentOf,
  nativeId,
  type ToolCallId,
  toUnnamedAgentId,
  WARM_UP,
} from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import { versionNumber } from '../../lib/version-number.ts';
import { atOf, emitTimed, firstLine, promptFact, requestIn } from '../shared/index.ts';
import { CLEARED, INTERRUPTED, idleNoticeIn, isNotification, parseNotifications, tagIn } from './host-text.ts';
import {
  agentIdOf,
  callIdOf,
  type FileState,
  HOST,
  isMain,
  type LineContext,
  type LineParser,
} from './line-context.ts';
import { toUsage } from './parse-assistant.ts';
import { blocksOf, parseLine, type RawRecord, textOf } from './record.ts';
import { isMessaging, isShell, isSpawning, isStopping, isWorkflow } from './tools.ts';

/** Written by local commands and by the harness; nobody answers them. */
const NOTES = ['<command-name>', '<local-command-', '<bash-input>', '<bash-stdout>', 'Caveat: The messages below'];
/** Versions 2.1.220 to 2.1.287 write the command as it was typed, before the lines that every local command leaves. */
const COMPACT = /^\/compact(?:\s|$)/;

export const parseUser: LineParser = (record, context) => {
  const message = asObject(record['message']);
  const id = asText(record['uuid']);
  if (!message || id === undefined) return;
  const blocks = blocksOf(message);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const text = textOf(message['content']);
  if (context.file.inherited !== undefined) return beginFork(id, text, results.length > 0, context);
  for (const result of results)
    parseResult(result, results.length === 1 ? record['toolUseResult'] : undefined, record, context);
  const { agent } = context;
  const isFirst = !context.file.prompted.has(agent);
  if (CLEARED.test(text)) {
    context.file.isCleared = true;
    if (isFirst && isMain(context)) context.emit({ kind: 'session-cleared' });
  }
  const ofCommand = isOfLocalCommand(record, text, context.file);
  // A letter that comes while the process ends is answered by nobody (2.1.88).
  const isNote = ofCommand || (context.file.isExited === true && TEAM_MESSAGE.test(text));
  const entry = results.length > 0 ? 'result' : isNote ? 'note' : entryOf(record, text, isFirst);
  if (EXITED.test(text)) context.file.isExited = true;
  else if (entry === 'prompt') context.file.isExited = false;
  if (ofCommand) context.file.localCommand = { id, at: record['timestamp'] };
  emitTimed(context, { kind: 'entry-added', entry, id, ...(context.copied && { copied: true }) });
  if (entry === 'prompt' && isMain(context)) noteRequestsApart(record, context);
  delete context.file.isDequeued;
  if (entry === 'interruption') noteInterruption(record, context);
  if (results.length === 0 && isNotice(record, text, context)) endRuns(text, isByHost(record), context);
  else if (entry === 'prompt') parsePrompt(id, text, context);
  const team = asText(record['teamName']);
  if (entry === 'prompt' && team !== undefined && isMain(context)) noteIdleMembers(text, team, context);
};

/** What a workflow's script asks for comes behind a warning to the agent, each line indented (2.1.325). */
const WORKFLOW_TASK = /^\[Workflow harness[^\n]*\n([\s\S]*)$/;
const TEAM_MESSAGE =
  /^(?:Another Claude session sent a message:\s*)?<teammate-message\b[^>]*>\n?([\s\S]*?)\n?<\/teammate-message>/;

const EXITED = /^<command-name>\/(?:exit|quit)<\/command-name>/;
const LOCAL_COMMAND_CAVEAT = '<local-command-caveat>';

/** Behind the caveat come the command, its output or an error: each follows the line before, and has its very time. */
function isOfLocalCommand(record: RawRecord, text: string, { localCommand }: FileState): boolean {
  if (record['isMeta'] === true && text.startsWith(LOCAL_COMMAND_CAVEAT)) return true;
  return (
    localCommand !== undefined && localCommand.id === record['parentUuid'] && localCommand.at === record['timestamp']
  );
}

/** The first versions without such requests: of headless runs, and of a terminal, which 2.1.121 named without a trace, too. */
const ASKS_APART_UNTIL = versionNumber('2.1.63');
const NAMES_UNTRACED_UNTIL = versionNumber('2.1.122');

/**
 * Old versions ask their model whether a prompt begins a new topic, which files a command read, and which files of the repository
 * matter (1.0.60 to 2.1.62). These requests are in no transcript, and some leave no other trace than that there was a prompt.
 */
function noteRequestsApart(record: RawRecord, context: LineContext): void {
  const { version } = context.file;
  const until = isHeadless(record, context.file) ? ASKS_APART_UNTIL : NAMES_UNTRACED_UNTIL;
  if (version === undefined || versionNumber(version) >= until) return;
  context.emit({ kind: 'request-hidden', purpose: 'request of the host', ...atOf(context) });
}

/** Up to 2.1.80 no line names the way in, but a headless run takes each prompt out of its queue (2.1.63 to 2.1.81). */
function isHeadless(record: RawRecord, { isDequeued }: FileState): boolean {
  const entrypoint = asText(record['entrypoint']);
  return entrypoint === undefined ? isDequeued === true : entrypoint !== 'cli';
}

const BY_PERSON = new Set<unknown>(['sdk', 'typed']);

/** The host's notices come with a mark from 2.1.150 on. What a person typed, or an agent was first told, is none. */
function isNotice(record: RawRecord, text: string, { agent, file }: LineContext): boolean {
  if (!isNotification(text)) return false;
  if (isByHost(record)) return true;
  const isMarked = asObject(record['origin']) !== undefined;
  return !isMarked && file.prompted.has(agent) && !BY_PERSON.has(record['promptSource']);
}

/** The line itself says that the host wrote it; without that, it looks like a notice, and anybody can write that. */
function isByHost(record: RawRecord): boolean {
  return asObject(record['origin'])?.['kind'] === 'task-notification';
}

/** Each message sets a member of a team to work; the first one begins the run that its call asked for. */
function parsePrompt(id: string, text: string, context: LineContext): void {
  const { agent } = context;
  const envelope = TEAM_MESSAGE.exec(text);
  // Up to 2.1.5x the delivery of a message made an agent's file of its own, which no call asked for.
  if (envelope && !isMain(context) && !context.file.prompted.has(agent)) {
    context.emit({ kind: 'agent-seen', agent, internal: MESSAGE_DELIVERY });
  }
  notePrompt(text, envelope?.[1] ?? WORKFLOW_TASK.exec(text)?.[1] ?? text, context);
  if (envelope && !isMain(context)) emitTimed(context, { kind: 'run-resumed', id });
}

const LETTERS = /<teammate-message\b[^>]*>\s*(\{[\s\S]*?\})\s*<\/teammate-message>/g;

/** Members in terminals of their own tell the lead when their turn is over; their transcripts do not (2.1.39 to 2.1.5x). */
function noteIdleMembers(text: string, team: string, context: LineContext): void {
  for (const [, letter = ''] of TEAM_MESSAGE.test(text) ? text.matchAll(LETTERS) : []) {
    const notice = idleNoticeIn(jsonIn(letter));
    if (!notice?.member) continue;
    const { member, ...said } = notice;
    context.emit({ kind: 'run-ended', agent: agentIdOf(`${member}@${team}`), signal: 'inbox', ...said });
  }
}

/** `isFirst`: nothing was said to the agent before. What a person typed, or an agent was asked, may quote anything. */
function entryOf(
  record: RawRecord,
  text: string,
  isFirst: boolean,
): Exclude<EntryKind, 'result' | 'reply' | 'failure'> {
  const head = text.trimStart();
  const isQuote = isFirst || BY_PERSON.has(record['promptSource']);
  if (head.startsWith(INTERRUPTED) && !isQuote) return 'interruption';
  if (record['isCompactSummary'] === true || record['queueTranscriptOnly'] === true) return 'note';
  // A message from the agent's parent is written as meta text, too, but it sets the agent to work (2.1.100 and later).
  if (record['isMeta'] === true) return asObject(record['origin'])?.['kind'] === 'coordinator' ? 'prompt' : 'note';
  return NOTES.some((note) => head.startsWith(note)) || COMPACT.test(text) ? 'note' : 'prompt';
}

/** Text in the user's place that no person and no agent wrote. */
export function isSpokenByHarness(record: RawRecord, text: string): boolean {
  if (isNotification(text)) return !BY_PERSON.has(record['promptSource']);
  return entryOf(record, text, false) !== 'prompt';
}

/** In a terminal it is the Escape key, and the session goes on; elsewhere the same line is written as the process ends. */
function noteInterruption(record: RawRecord, context: LineContext): void {
  if (isMain(context) || record['entrypoint'] !== 'cli') return;
  emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome: 'stopped', reason: 'interrupted' });
}

/** `shown`: without the envelope that some prompts come in. Compared with the calls is the whole. */
function notePrompt(text: string, shown: string, context: LineContext): void {
  const { agent, file } = context;
  if (isMain(context) && !file.isTitled) noteTitle(commandIn(text) ?? requestIn(shown), context);
  if (file.prompted.has(agent) || text === '') return;
  file.prompted.add(agent);
  emitTimed(context, { kind: 'agent-prompted', prompt: promptFact(text, shown) });
  // Up to 2.1.5 a session warms up one agent of each built-in type; no call asks for them.
  if (!isMain(context) && !file.isInternal && text.trim() === 'Warmup')
    context.emit({ kind: 'agent-seen', agent, internal: WARM_UP });
}

/** The first prompt that asks for something. */
function noteTitle(title: string | undefined, context: LineContext): void {
  if (title === undefined) return;
  context.file.isTitled = true;
  context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
}

/** A command of the person's own (`/review src`), as it was typed: its text follows as meta text, and is answered. */
function commandIn(text: string): string | undefined {
  if (!text.startsWith('<command-message>')) return undefined;
  return ['command-name', 'command-args'].flatMap((tag) => tagIn(text, tag) ?? []).join(' ') || undefined;
}

/**
 * The first line to the fork holds its own directive. Where an agent made the fork, it answers that agent's call; where a
 * person typed `/fork`, there is none, and the fork is main's.
 */
function beginFork(id: string, text: string, isAnswer: boolean, context: LineContext): void {
  const { agent, file, session, emit } = context;
  const isOwn = file.inherited === nativeId(session);
  if (!isAnswer && isOwn) emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent: mainAgentOf(session) });
  delete file.inherited;
  emitTimed(context, { kind: 'entry-added', entry: 'prompt', id });
  const directive = text.slice(text.lastIndexOf('</fork-boilerplate>') + '</fork-boilerplate>'.length);
  notePrompt(text, text.includes('</fork-boilerplate>') ? directive.trim() : text, context);
}

// `tool_result` blocks: the end of a call, and for calls that make, wake or stop agents, which agents they are about.

/** `details` is the line's toolUseResult: an object on success, a string on failure, absent inside agents of `-p` runs. */
function parseResult(block: RawRecord, details: unknown, record: RawRecord, context: LineContext): void {
  const call = callIdOf(block['tool_use_id']);
  if (call === undefined) return;
  const tool = context.file.toolOf.get(call);
  const text = textOf(block['content']);
  const facts = asObject(details);
  const outcome = outcomeOf(block, text, record);
  const spawns = tool === undefined ? isReport(facts) : isSpawning(tool);
  const launched = (spawns || isWorkflow(tool)) && outcome === 'ok' && isLaunch(facts, text);
  const reason = outcome === 'ok' ? undefined : firstLine(asText(details) ?? text);
  const { agent } = context;
  emitTimed(context, {
    kind: 'tool-ended',
    call,
    outcome,
    ...(launched && { launched }),
    ...(outcome !== 'ok' && isUnrun(text, tool) && { unrun: true }),
    ...known({ reason }),
  });
  for (const printed of outcome === 'refused' ? [] : context.file.commands.printed(call, text))
    context.emit({ kind: 'session-printed', agent, call, printed });
  if (outcome !== 'ok') return;
  if (spawns) nameAgent(call, facts, text, launched, context);
  else if (isMessaging(tool)) noteMessage(call, facts ?? jsonIn(text), context);
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
const REFUSALS = ["The user doesn't want to proceed with this tool use", INTERRUPTED, 'Permission to use '];

function outcomeOf(block: RawRecord, text: string, record: RawRecord): CallOutcome {
  if (block['is_error'] !== true) return 'ok';
  const isRefused = asText(record['toolDenialKind']) !== undefined || REFUSALS.some((words) => text.startsWith(words));
  return isRefused ? 'refused' : 'error';
}

/** A transcript that begins in the middle has the result and not the call: its structure tells an agent's report. */
function isReport(facts: JsonObject | undefined): boolean {
  const { agentId, status } = facts ?? {};
  return asText(agentId) !== undefined && (status === 'completed' || LAUNCHED.has(status));
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
  if (named === undefined) {
    noteReport(call, facts, context);
    return;
  }
  const agent = agentIdOf(named);
  if (launched) context.file.launched.add(agent);
  const evidence = exact ? 'result' : 'result-text';
  context.emit({ kind: 'agent-linked', agent, evidence, call, parent: context.agent });
  if (!facts || exact === undefined) return;
  const isTeammate = facts['status'] === 'teammate_spawned';
  const team = isTeammate ? asText(facts['team_name']) : undefined;
  // The team that every session is, after `/clear` the one of the session before: its members have transcripts with ids of
  // their own (2.1.178 and later).
  const isAlias = team !== undefined && SESSION_TEAM.test(team) && exact === `${facts['name']}@${team}`;
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
    ...(isAlias && { isAlias }),
  });
  if (team !== undefined) context.emit({ kind: 'agent-grouped', agent, group: team, groupKind: 'team' });
}

const SESSION_TEAM = /^session-[0-9a-f]{8}$/;

/** Up to 2.0.41 a result does not name its agent. If none speaks in this file, its report is all that is left of it. */
function noteReport(call: ToolCallId, facts: JsonObject | undefined, context: LineContext): void {
  const [calls, usage] = [asAmount(facts?.['totalToolUseCount']), asObject(facts?.['usage'])];
  if (calls === undefined || !usage) return;
  const agent = toUnnamedAgentId(HOST, call);
  context.emit({ kind: 'agent-linked', agent, evidence: 'result', call, parent: context.agent });
  emitTimed(context, { kind: 'agent-seen', agent, reported: { calls, usage: toUsage(usage) } });
  const took = asAmount(facts?.['totalDurationMs']);
  if (took !== undefined && context.at !== undefined)
    context.emit({ kind: 'agent-seen', agent, at: context.at - took });
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

/**
 * SendMessage to an agent at rest wakes it; to one at work it only leaves a message. A teammate that agrees to shut down has
 * no turn after that (2.1.88 to 2.1.325).
 */
function noteMessage(call: ToolCallId, facts: JsonObject | undefined, context: LineContext): void {
  if (!isMain(context) && asText(facts?.['message'])?.startsWith('Shutdown approved'))
    emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome: 'completed', reason: 'it was shut down' });
  const resumed = asText(facts?.['resumedAgentId']);
  if (resumed === undefined) return;
  const agent = agentIdOf(resumed);
  context.file.launched.add(agent);
  emitTimed(context, { kind: 'run-resumed', agent, id: call, call });
}

function noteStop(facts: JsonObject | undefined, context: LineContext): void {
  const task = asText(facts?.['task_id']);
  if (task === undefined) return;
  emitTimed(context, { kind: 'run-ended', agent: agentIdOf(task), signal: 'stop-call', outcome: 'stopped' });
}

function jsonIn(text: string): JsonObject | undefined {
  return text.startsWith('{') ? asObject(parseLine(new TextEncoder().encode(text))) : undefined;
}

// Where the end of a background agent is told: a queued prompt, an attachment where it came mid-turn, a `user` line.

/**
 * Facts from every notification in the text. A person or a prompt can hold the same words: without the host's mark
 * (before 2.1.150) only agents that this file launched are believed to have ended.
 */
function endRuns(text: string, byHost: boolean, context: LineContext): void {
  for (const notification of parseNotifications(text)) {
    const agent = agentIdOf(notification.task);
    if (!byHost && !isCredible(agent, context.file)) continue;
    const call = callIdOf(notification.call);
    emitTimed(context, {
      kind: 'run-ended',
      agent,
      signal: 'notification',
      outcome: notification.outcome,
      ...known({ call, reason: notification.summary }),
      ...(notification.doubtful && { byCallOnly: true }),
      ...known({ isAssumed: notification.isAssumed }),
    });
    if (call !== undefined && !notification.doubtful)
      context.emit({ kind: 'agent-linked', agent, evidence: 'notification', call });
  }
}

/** From this version on the host marks its notices, so that an unmarked one is somebody else's words. */
const MARKED_SINCE = versionNumber('2.1.150');

function isCredible(agent: AgentId, { launched, version }: FileState): boolean {
  return launched.has(agent) && versionNumber(version) < MARKED_SINCE;
}

/** The text is whole here even where the prompt that follows is cut or absorbed. */
export const parseQueueOperation: LineParser = (record, context) => {
  if (record['operation'] === 'dequeue') context.file.isDequeued = true;
  if (record['operation'] !== 'enqueue') return;
  const content = asText(record['content']);
  if (content !== undefined) endRuns(content, false, context);
};

export const parseAttachment: LineParser = (record, context) => {
  const attachment = asObject(record['attachment']);
  if (attachment?.['type'] !== 'queued_command' || attachment['commandMode'] !== 'task-notification') return;
  const prompt = asText(attachment['prompt']);
  if (prompt !== undefined) endRuns(prompt, true, context);
};
