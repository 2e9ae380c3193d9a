import { type AgentReport, type ApprovalRequest, chatPerson } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import { approvalMessage, isShownInFull } from '../messages/notification-lines.ts';
import { rich } from '../messages/rich-text.ts';
import { type Buttons, type Press, problemIn } from './bot-api.ts';
import { type ChatContext, isQuiet } from './chat-context.ts';
import type { Allowance } from './chat-state.ts';
import type { Work } from './jobs.ts';
import { change, sendMessage } from './send.ts';

/** Longer than any agent works; what was allowed does not outlive it by much. */
const ALLOWED_MS = 12 * 3_600_000;

/** Puts a question into the chat; where a person has answered it before, for this agent, nobody is asked again. */
export async function sendApproval(
  chat: number,
  ask: ApprovalRequest,
  session: string | null,
  context: ChatContext,
): Promise<void> {
  const { book, clock, options, actions } = context;
  const allowance = book.read().allowances.find((one) => isCovered(ask, one, clock()));
  if (allowance) {
    // What stands in the file may have been written by an agent: only a press that we saw ourselves counts as the person's.
    const answered = await actions.answer(ask.id, 'allow', allowance.by, pressedHere.has(allowance)).catch(proofNeeded);
    if (answered && answered.outcome !== 'unknown') return;
  }
  const nonce = context.createNonce();
  const thread = session === null ? undefined : book.read().sessions[session]?.thread;
  const purpose = { kind: 'ask', nonce, ask: ask.id, expiresAt: Date.parse(ask.expiresAt) } as const;
  const text = approvalMessage(ask, agentOf(ask, context));
  const what = { purpose, text, buttons: buttonsFor(ask, nonce), ...known({ thread }) };
  await sendMessage(chat, what, isQuiet(options.quietHours, clock()), context);
}

/** Allowances of this process. */
const pressedHere = new WeakSet<Allowance>();

/** Any other error is thrown on. */
function proofNeeded(error: unknown): undefined {
  if (!(error instanceof UserError && NEEDS_PASSPHRASE.has(error.code))) throw error;
}

const NEEDS_PASSPHRASE: ReadonlySet<string> = new Set(['proof-needed', 'passphrase-not-set', 'passphrase-alarm']);

function agentOf({ session, agent }: ApprovalRequest, { tracker }: ChatContext): AgentReport | undefined {
  const found = tracker.picture()?.sessions.find(({ id }) => id === session);
  return found && [found.main, ...found.subagents].find(({ id }) => id === agent.id);
}

function buttonsFor(ask: ApprovalRequest, nonce: string): Buttons {
  const deny = { text: '❌ Deny', data: `deny:${nonce}` };
  if (!isShownInFull(ask)) return [[deny]];
  const once = { text: '✅ Allow once', data: `once:${nonce}` };
  const forAgent = { text: '✅ For this agent', data: `agent:${nonce}` };
  return isRememberable(ask) ? [[once, forAgent], [deny]] : [[once], [deny]];
}

/** The agent has to be known; and without a rule it would be everything that a tool can do. */
function isRememberable({ agent, session, rule }: ApprovalRequest): boolean {
  return agent.id !== null && session !== null && rule !== null;
}

/** Takes the buttons away, and says how it ended. */
export async function closeApproval(
  { nonce, asked, ask }: Extract<Work, { kind: 'ask-over' }>,
  context: ChatContext,
): Promise<void> {
  const text = ask ? approvalMessage(ask, agentOf(ask, context)) : rich({ code: asked.text }, '\nOver.');
  await change(() => context.api.edit(asked, text));
  context.book.keep((state) => {
    const { [nonce]: _over, ...asks } = state.asks;
    return { ...state, asks };
  });
}

/**
 * A button was pressed. It counts only if it is one of ours, of a question that is open, in the message and the chat that it was
 * sent to: what somebody copies, replays or makes up does nothing. Gives what the person is told.
 */
export async function handlePress(press: Press, context: ChatContext): Promise<string> {
  const { book, actions, tracker, clock } = context;
  const [word = '', nonce = ''] = press.data.split(':');
  const asked = Object.hasOwn(book.read().asks, nonce) ? book.read().asks[nonce] : undefined;
  const isSame = asked && press.place?.chat === asked.chat && press.place.message === asked.message;
  if (!asked || !isSame || !['once', 'agent', 'deny'].includes(word)) return 'This question is over.';
  const ask = tracker.picture()?.asks.find(({ id }) => id === asked.ask);
  // That button is there only where it may be.
  if (word === 'agent' && !(ask && isRememberable(ask))) return 'This question is over.';
  const by = chatPerson(press.from);
  const answered = await actions.answer(asked.ask, word === 'deny' ? 'deny' : 'allow', by, true).catch(proofNeeded);
  if (!answered)
    return 'Not allowed: this bot was started without your passphrase for approvals. In a terminal, stop it, run troupe telegram and enter the passphrase. Deny works now.';
  if (answered.outcome !== 'taken') return 'This question is over.';
  if (word === 'agent' && ask) {
    const allowance: Allowance = {
      session: ask.session ?? '',
      agent: ask.agent.id ?? '',
      tool: ask.tool,
      rule: ask.rule,
      by,
      until: clock() + ALLOWED_MS,
    };
    pressedHere.add(allowance);
    book.keep((state) => ({
      ...state,
      allowances: [...state.allowances.filter(({ until }) => until > clock()), allowance],
    }));
    return 'Allowed, and what this rule asks about this agent from now on.';
  }
  return word === 'deny' ? 'Denied.' : 'Allowed once.';
}

/** Everything has to be the same but the call itself. */
function isCovered({ session, agent, tool, rule }: ApprovalRequest, one: Allowance, now: number): boolean {
  return session === one.session && agent.id === one.agent && tool === one.tool && rule === one.rule && now < one.until;
}

/** Telegram forgets buttons that were pressed long ago: that it cannot be answered any more is no trouble. */
export async function answerPress(press: Press, text: string, { api }: ChatContext): Promise<void> {
  await api.answerPress(press.id, text).catch((error: unknown) => {
    if (problemIn(error) !== 'refused') throw error;
  });
}
