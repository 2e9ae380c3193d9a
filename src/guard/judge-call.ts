import { type Dirent, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { AnsweredBy, ApprovalAnswer } from '../core/index.ts';
import type { CallerChain, HookEvent, HooksCapability } from '../hosts/index.ts';
import { known } from '../lib/json.ts';
import { readRegularSync, readTextSync } from '../lib/regular-file.ts';
import type { BudgetVerdict } from './budgets.ts';
import { decide } from './decide.ts';
import { identityOf, withIdentity } from './identity.ts';
import { type GuardedCall, isLooser, type Policy, type Rule, type Verdict } from './policy.ts';
import {
  type GivenInput,
  type Judgement,
  type JudgeOptions,
  preCheck,
  resolveLinks,
  type Trial,
  toUnreadCall,
  trialsFor,
  type UnreadCall,
} from './pre-check.ts';
import type { ToolMappings } from './tool-inputs.ts';
import { usesOf } from './uses-of.ts';

/**
 * A call as its host tells it (undefined: not a call of that host) → what its hook answers. The same for the server and for
 * the hook that stands alone. Never throws: what goes wrong inside ends in the policy's `on_error`, as an answer.
 */
export function judgeCall(event: HookEvent | undefined, options: JudgeOptions): Judgement {
  const { budget, host } = options;
  const judgement = judgeByRules(event, options);
  return budget ? withBudget(judgement, budget, host) : judgement;
}

function judgeByRules(event: HookEvent | undefined, options: JudgeOptions): Judgement {
  const { host, caller } = options;
  let policy: Policy | undefined;
  try {
    const folder = event ? (caller.project ?? event.cwd ?? '/') : process.cwd();
    policy = options.policyFor(folder);
    if (!event) throw new Error('what it was told is no call of this host');
    const trials = trialsFor(event, options);
    const early = preCheck(event, trials);
    if (early) return early;
    const verdict = decideStrictest(trials);
    const { decision, rule, reason } = verdict;
    const wait = verdict.wait ?? (decision === 'ask' && host.cannotAsk ? UNLESS_SAID : null);
    const given = !host.cannotChangeInput && injectsIdentity(policy, verdict) ? identify(event, caller) : undefined;
    const later = known({ wait: wait ? { ...wait, why: whyOf(rule, reason) } : undefined, given });
    // Who waits for an answer says later whether the call was given anything.
    const said = answer(host, { decision, rule: rule?.id ?? null, reason }, given);
    return { ...said, ...(wait && { reason }), ...later };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return answer(host, {
      decision: policy?.onError ?? 'ask',
      rule: null,
      reason: `The guard of troupe failed: ${words}`,
    });
  }
}

/** The stricter of both holds. What a budget has to say to the agent goes with a call that may run. */
function withBudget(judgement: Judgement, budget: BudgetVerdict, host: JudgeOptions['host']): Judgement {
  const note = budget.notes.map(({ text }) => text).join('\n');
  const { given } = judgement;
  if (isLooser(judgement.decision, budget.decision)) {
    const { decision, reason, budget: rule } = budget;
    const said = answer(host, { decision, rule, reason }, given);
    if (decision === 'deny') return said;
    const wait = host.cannotAsk ? { ...UNLESS_SAID, why: reason } : undefined;
    return { ...said, ...(wait && { reason }), ...known({ wait, given, note: note || undefined }) };
  }
  const { decision, reason, wait } = judgement;
  if (decision === 'deny' || (note === '' && budget.decision === 'none')) return judgement;
  const printed = host.formatAnswer({ decision, reason, ...known({ input: given?.input, note: note || undefined }) });
  // Nobody having answered must not get a call past a budget that asks.
  const until = wait && budget.decision === 'ask' ? { ...wait, otherwise: 'deny' as const } : wait;
  return { ...judgement, printed, ...known({ wait: until, note: note || undefined }) };
}

/** Of all that the call may be, by who may have made it and where. */
function decideStrictest(trials: readonly Trial[]): Verdict {
  const read = new Map<string | null, UnreadCall & Pick<GuardedCall, 'uses'>>();
  const verdicts = trials.map(({ policy, call, because }) => {
    const uses = read.get(call.project)?.uses;
    const whole = uses ? { ...call, uses } : withUses(call);
    read.set(call.project, whole);
    const verdict = decide(policy, whole);
    return because === undefined ? verdict : { ...verdict, reason: `${verdict.reason} It holds because ${because}.` };
  });
  return verdicts.reduce((strictest, next) => (isLooser(strictest.decision, next.decision) ? next : strictest));
}

/** For how long troupe asks in the place of a host that cannot, where no rule says. */
const UNLESS_SAID = { ms: 600_000, otherwise: 'deny' } as const;

/** For the agent and the audit. `given`, for a call that may go on. */
function answer<Said extends Pick<Judgement, 'decision' | 'rule' | 'reason'>>(
  host: Pick<HooksCapability, 'formatAnswer'>,
  said: Said,
  given?: GivenInput,
  note?: string,
): Said & Pick<Judgement, 'printed'> {
  const isGiven = given && said.decision !== 'deny';
  const reason = isGiven ? `${said.reason} ${given.words}` : said.reason;
  const input = isGiven ? given.input : undefined;
  const printed = host.formatAnswer({ decision: said.decision, reason, ...known({ input, note }) });
  return { ...said, reason, printed };
}

function identify(event: HookEvent, caller: CallerChain): GivenInput | undefined {
  const identity = identityOf(event, caller);
  const input = identity && withIdentity(event.call?.tool ?? '', event.call?.input, identity, event.call?.id);
  if (input === undefined) return undefined;
  return { input, words: `Its commands are told who runs them: ${identity}` };
}

/** A rule that says so is about some part of the call, and nothing denies it. What is decided does not change by it. */
function injectsIdentity({ rules }: Policy, { decision, tried }: Verdict): boolean {
  if (decision === 'deny') return false;
  const matched = new Set(tried.flatMap(({ rule, outcome }) => (outcome === 'matched' ? [rule] : [])));
  return rules.some((rule) => rule.injectsIdentity && matched.has(rule.id));
}

/** Who is asked sees the call: what matters is why one asks. */
function whyOf(rule: Rule | null, reason: string): string {
  return [rule?.name, rule?.reason].filter((text) => text).join(': ') || reason;
}

/** Everything that needs the machine is resolved here: `decide` is pure. */
export function toCall(event: HookEvent, options: Pick<JudgeOptions, 'caller' | 'home' | 'at'>): GuardedCall {
  return withUses(toUnreadCall(event, options));
}

function withUses(call: UnreadCall): GuardedCall {
  const { tool, input, cwd, home, project } = call;
  const context = { cwd, home, projectDir: project, resolve: resolveLinks, readScript, listFolder, listTracked };
  const usesWith = (mappings?: ToolMappings) => usesOf(tool, input, context, mappings);
  return { ...call, uses: usesWith(), usesWith };
}

const MAX_LISTED = 4000;
/** What is made from other files, or cannot hold what a rule would name. */
const MADE = /^(?:node_modules|\.git|\.venv|venv|dist|build|target|__pycache__|vendor)$/;

/** Files, the nearest first. */
function listFolder(folder: string): readonly string[] {
  const files: string[] = [];
  const open = [''];
  for (let at = 0; at < open.length && files.length + open.length < MAX_LISTED; at++) {
    const below = open[at] as string;
    for (const entry of entriesOf(path.join(folder, below))) {
      if (MADE.test(entry.name)) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      (entry.isDirectory() ? open : files).push(name);
    }
  }
  return files;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const MAX_SCRIPT_BYTES = 64 * 1024;

function readScript(file: string): string | null {
  try {
    const text = readTextSync(file, MAX_SCRIPT_BYTES);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Read from the index of git, which holds the names of all files that it keeps. */
function listTracked(folder: string): readonly string[] | null {
  const root = findAbove(folder, '.git');
  if (root === null) return [];
  const place = path.join(root, '.git');
  // In a work tree of its own, it is a file that names the folder.
  const [, other] = /^gitdir: (.*)/.exec(readScript(place) ?? '') ?? [];
  try {
    const names = namesInIndex(
      readRegularSync(
        path.join(other === undefined ? place : path.resolve(root, other.trim()), 'index'),
        MAX_INDEX_BYTES,
      ),
    );
    return names?.map((name) => path.join(root, name)) ?? null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : null;
  }
}

const MAX_INDEX_BYTES = 16 * 1024 * 1024;

function findAbove(folder: string, name: string): string | null {
  for (let place = folder; ; place = path.dirname(place)) {
    if (existsSync(path.join(place, name))) return place;
    if (place === path.dirname(place)) return null;
  }
}

/** https://git-scm.com/docs/index-format. Null: written by a version that is not known, or split into two files. */
export function namesInIndex(bytes: Buffer): readonly string[] | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const names: string[] = [];
  let before = '';
  let at = 12;
  for (let count = bytes.readUInt32BE(8); count > 0; count--) {
    const start = at;
    const flags = bytes.readUInt16BE(at + 60);
    // Times, modes and sizes, the name of the content, flags.
    at += 62 + (version >= 3 && (flags & 0x4000) !== 0 ? 2 : 0);
    let kept = 0;
    if (version === 4) {
      let byte = bytes.readUInt8(at++);
      let left = byte & 0x7f;
      while (byte & 0x80) {
        byte = bytes.readUInt8(at++);
        left = ((left + 1) << 7) | (byte & 0x7f);
      }
      kept = Buffer.byteLength(before) - left;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return null;
    const name = Buffer.from(before).toString('utf8', 0, kept) + bytes.toString('utf8', at, end);
    names.push(name);
    before = name;
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  for (; at + 28 <= bytes.length; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return null;
  return names;
}

/** What became of a call that was held for an answer, or should have been. */
interface AnsweredCall extends Omit<Judgement, 'wait' | 'given' | 'note'> {
  readonly answeredBy: AnsweredBy;
}

/** What a hook answers whose call was asked about, once it is known what was said. */
export function answerRequest(
  host: Pick<HooksCapability, 'formatAnswer'>,
  { rule, reason: asked, wait, given, note }: Judgement,
  decision: ApprovalAnswer,
  answeredBy: AnsweredBy,
): AnsweredCall {
  const reason = `${asked} ${explainAnswer(answeredBy, decision, wait?.ms ?? 0)}`;
  return answer(host, { decision, rule, reason, answeredBy }, given, decision === 'allow' ? note : undefined);
}

/** Without a server nobody can be asked: a call that would wait for an answer ends as it does without one. */
export function judgeAlone(event: HookEvent | undefined, options: JudgeOptions): Judgement | AnsweredCall {
  const judgement = judgeCall(event, options);
  const { wait } = judgement;
  return wait ? answerRequest(options.host, judgement, wait.otherwise, 'no-server') : judgement;
}

/** For the agent, which reads it as the reason, and for the audit. */
function explainAnswer(by: AnsweredBy, decision: ApprovalAnswer, ms: number): string {
  const so = decision === 'allow' ? 'allowed' : 'denied';
  switch (by) {
    case 'expiry':
      return `No answer came within ${durationText(ms)}, so it is ${so}.`;
    case 'stop':
      return `troupe stopped before an answer came, so it is ${so}.`;
    case 'no-server':
      return `No server of troupe runs that could ask, so it is ${so}.`;
    case 'withdrawn':
      return 'The call was taken back before an answer came.';
    default:
      return `A person was asked and ${so} it.`;
  }
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
