// dist/hook-main.cjs: what a hook does if no server answers it. It delays every tool call, so it imports nothing that it does not
// need; `drain` loads the rest.
//   guard HOST PENDING PPID [SINCE [end]]  from the guard stub; PENDING with its folders, SINCE in epoch seconds; with `end`, a NUL
//                                    follows the answer, so that the stub need not wait until this process has ended
//   guard HOST STATE/spool/- PPID    from a guard stub that could not write a file; with the payload on stdin
//   guard HOST                       with the payload on stdin
//   drain STATE                      drains the queue

import { fstatSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isPendingOf, MAX_QUEUED_BYTES, parseQueued, queueEvent, queuePending } from '../audit/queue.ts';
import type { ToldCall } from '../guard/budget-judge.ts';
import type { BudgetVerdict } from '../guard/budgets.ts';
import { auditFieldsOf, CallerRecords } from '../guard/callers.ts';
import type { CompiledSources } from '../guard/policy/compile.ts';
import { type CompiledPolicyFolders, lookAtSource, policyPlaces } from '../guard/policy/sources.ts';
import { HANDS_OFF, NO_POLICY, type Policy } from '../guard/policy.ts';
import { foldersFor, type Judgement, type JudgeOptions } from '../guard/pre-check.ts';
import { GUARDED_HOSTS, type GuardedHost } from '../hosts/guarded-hosts.ts';
import type { CallerChain, HookEvent } from '../hosts/hook.ts';
import { appendSync, readRegularSync } from '../lib/regular-file.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';

export interface Parts {
  yaml: typeof import('./yaml.ts');
  judge: typeof import('./judge.ts');
  hosts: typeof import('./hosts.ts');
}

type Load = <Name extends keyof Parts>(name: Name) => Parts[Name];

const [, program = '', command, ...args] = process.argv;
/** Work that can wait until the answer is printed. */
const afterwards: (() => void)[] = [];

interface Loader {
  readonly load: Load;
  /** Runs another program of ours in this process. Code that is loaded by `load` cannot use `import()`. */
  readonly runProgram: (file: string) => Promise<void>;
}

let load: Load;
let runProgram: Loader['runProgram'];

/** There is always an answer: if something fails, the policy's `on_error`. `keep` keeps the machine code of what was loaded. */
export async function runHook(loader: Loader, keep: (rehearse: () => void) => void): Promise<void> {
  ({ load, runProgram } = loader);
  let folder = command === 'drain' ? args[0] : args[1] && path.dirname(path.dirname(args[1]));
  try {
    folder ??= stateFolder({ env: process.env, home: homeFolder() });
    if (command === 'guard') print(guard(folder));
    else if (command === 'drain') await drain(folder);
    else throw new Error(`hook.cjs knows no ${command}`);
  } catch (error) {
    if (folder !== undefined) noteError(folder, error);
    if (command === 'guard') answerTrouble(folder, error);
  }
  for (const act of afterwards)
    try {
      act();
    } catch (error) {
      if (folder !== undefined) noteError(folder, error);
    }
  keep(rehearse);
  // To take the process apart takes longer than to leave it. A drain goes on by itself.
  if (command !== 'drain') process.exit();
}

/** Gives what is to be printed. Whether the call could be queued does not change that. */
function guard(folder: string): string {
  const [host = '', place, ppid, since] = args;
  const pending = place === undefined ? '-' : path.basename(place);
  if (pending === '-') return guardStdin(folder, host, ppid === undefined ? process.ppid : Number(ppid));
  if (!isPendingOf(host, pending)) throw new Error(`no draft of ${host}: ${pending}`);
  const bytes = readRegularSync(path.join(folder, 'spool', pending), MAX_QUEUED_BYTES);
  const { printed, decided } = judge(folder, host, bytes, Number(ppid));
  attempt(folder, () => queuePending(folder, pending, decided, since ? Number(since) * 1_000 : undefined));
  return printed;
}

/** For a host that runs us itself, without a shell in between. */
function guardStdin(folder: string, host: string, ppid: number): string {
  if (!/^[a-z0-9-]{1,64}$/.test(host)) throw new Error(`no name of a host: ${host}`);
  // To ask the stream itself takes 4 ms.
  if (fstatSync(0).isCharacterDevice() && process.stdin.isTTY) return '';
  const payload = readFileSync(0);
  const { printed, decided } = judge(folder, host, payload, ppid);
  const ms = Math.round(process.uptime() * 10_000) / 10;
  if (payload.length > 0) attempt(folder, () => queueEvent(folder, host, payload, { ...decided, ms }));
  return printed;
}

/** `decided` is what the queue keeps beside the payload. */
function judge(folder: string, host: string, bytes: Uint8Array, ppid: number) {
  const {
    printed,
    given: _given,
    note: _note,
    ...decided
  } = judgePayload(folder, host, parseQueued(bytes)?.payload, ppid);
  // Which agent started the host that runs us, if one did (guard/identity.ts).
  const parent = process.env['TROUPE_PARENT'];
  return { printed, decided: { ppid, ...(parent ? { parent } : {}), ...decided } };
}

function judgePayload(
  folder: string,
  name: string,
  payload: unknown,
  ppid: number,
): Pick<Judgement, 'printed' | 'decision' | 'given' | 'note'> & { readonly parent?: string } {
  const host = hostNamed(name);
  if (!host) {
    if (!policyIn(placesOf(folder, process.cwd()))) return { printed: '', decision: 'none' };
    throw new Error(`this troupe does not know the calls of ${name}`);
  }
  const event = host.read(payload, ppid);
  const [home, at, records] = [homeFolder(), Date.now(), new CallerRecords(folder)];
  const sources = { event, process: ppid, told: process.env['TROUPE_AGENT'], caller: lookTwice(host, payload, ppid) };
  const settled = records.settle(sources);
  const { caller, above, alsoIn } = settled;
  const policies = new Map<string, Policy>();
  let hasPolicy = false;
  for (const place of foldersFor({ cwd: event?.cwd ?? process.cwd() }, { caller, alsoIn, home })) {
    const found = policyIn(placesOf(folder, place));
    hasPolicy ||= found !== undefined;
    policies.set(place, found?.policy ?? NO_POLICY);
  }
  const judged = (): Pick<Judgement, 'printed' | 'decision' | 'given' | 'note'> => {
    if (!hasPolicy) return { printed: '', decision: 'none' };
    const policyFor = (place: string): Policy =>
      policies.get(place) ?? policyIn(placesOf(folder, place))?.policy ?? NO_POLICY;
    const budget =
      event && askBudgets(name, { event, payload, ppid, caller, folder, policies: [...policies.values()] });
    const options = { host, caller, above, alsoIn, policyFor, home, at, budget };
    return load('judge').judgeAlone(event, options);
  };
  const judgement = judged();
  afterwards.push(() => records.remember(sources, settled, judgement.decision !== 'deny', at)());
  return { ...judgement, ...auditFieldsOf(settled) };
}

/** What agents used is in their transcripts, which the program itself reads: it takes as long as `troupe tree`. */
function askBudgets(name: string, asked: LimitedCall): BudgetVerdict | undefined {
  const { event, payload, ppid, caller, policies } = asked;
  if (!event.call || event.question !== undefined) return undefined;
  const limited = policies.flatMap(({ budgets, onError, rules }) =>
    budgets ? [{ budgets, onError, isHandsOff: rules.some(({ id }) => HANDS_OFF.test(id)) }] : [],
  );
  if (limited.length === 0) return undefined;
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const troupe = path.join(path.dirname(program), 'troupe.js');
  const readings = [caller, ...(caller.otherwise ?? [])];
  const told: ToldCall = {
    host: name,
    process: ppid,
    payload,
    readings,
    project: caller.project,
    policies: limited,
    stateFolder: asked.folder,
  };
  const { stdout, error, status, stderr } = spawnSync(process.execPath, [troupe, 'hooks', 'budget'], {
    ...{ input: JSON.stringify(told), encoding: 'utf8', timeout: BUDGET_MS, maxBuffer: MAX_QUEUED_BYTES },
    windowsHide: true,
  });
  if (!error && status === 0 && stdout.trim() !== '') return JSON.parse(stdout) as BudgetVerdict;
  const why = error?.message ?? stderr.trim().split('\n')[0] ?? `code ${status}`;
  const decisions = limited.map(({ onError }) => onError);
  const decision = decisions.includes('deny') ? 'deny' : decisions.includes('ask') ? 'ask' : 'none';
  return { decision, budget: null, reason: `Budgets cannot be computed: ${why}`, notes: [] };
}

interface LimitedCall {
  readonly event: HookEvent;
  readonly payload: unknown;
  readonly ppid: number;
  readonly caller: CallerChain;
  readonly policies: readonly Policy[];
  /** Of troupe's state. */
  readonly folder: string;
}

const BUDGET_MS = 8_000;

/** A host may write who stands above an agent a moment after the agent calls. */
function lookTwice(host: GuardedHost, payload: unknown, ppid: number): CallerChain {
  let caller = host.callerOf(payload, ppid);
  for (let waited = 0; isLate(caller) && waited < LATE_MS; waited += PAUSE_MS) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    caller = host.callerOf(payload, ppid);
  }
  return caller;
}

/**
 * What is kept is the machine code of what ran so far. The first call may need less than most do: here, where nobody waits for an answer
 * any longer, run what others need. Nothing is printed or written, whatever comes of it.
 */
function rehearse(): void {
  if (!hasLoadedPolicy) return;
  try {
    const policy = load('judge').compileSample();
    const host = Object.values(GUARDED_HOSTS)[0] as GuardedHost;
    for (const command of SAMPLE_COMMANDS) {
      const payload = {
        session_id: 's',
        cwd: '/',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command },
      };
      const event = host.read(payload, 0);
      const agent = { id: 'a', kind: 'task', type: 'a', name: null, depth: 1 } as const;
      const caller = { agent, ancestors: [{ ...agent, kind: 'main' }] };
      const options: JudgeOptions = { host, caller, policyFor: () => policy, home: '/', at: 0 };
      if (event) load('judge').judgeAlone(event, options);
    }
  } catch {
    // Then it is compiled where it is needed.
  }
}

let hasLoadedPolicy = false;
const SAMPLE_COMMANDS = [
  'cd x && X=1 git push --force "$y" | grep -v \'^z\' > out.txt 2>&1',
  'for f in *.ts; do cat "$f" $(ls ~/x); done; rm -rf ./a || env sh -c "npm test -- --watch=false"',
];

const isLate = ({ agent, isLate = false }: CallerChain): boolean => agent !== null && isLate;
const LATE_MS = 300;
const PAUSE_MS = 20;

function hostNamed(name: string): GuardedHost | undefined {
  if (Object.hasOwn(GUARDED_HOSTS, name)) return GUARDED_HOSTS[name];
  const { MORE_GUARDED_HOSTS } = load('hosts');
  return Object.hasOwn(MORE_GUARDED_HOSTS, name) ? MORE_GUARDED_HOSTS[name] : undefined;
}

const compiled = new Map<string, CompiledSources>();

/** Undefined if there is no policy. Compiled at each call: whatever was kept of it, an agent could have changed. */
function policyIn(where: CompiledPolicyFolders): CompiledSources | undefined {
  const places = policyPlaces(where).filter(({ file }) => lookAtSource(file) !== undefined);
  if (places.length === 0) return undefined;
  // A call may concern several folders of one project.
  const key = JSON.stringify(places);
  hasLoadedPolicy = true;
  const policy =
    compiled.get(key) ?? load('judge').compileSources(where, (source) => load('yaml').readYaml(source), places, true);
  compiled.set(key, policy);
  return policy;
}

/** The call itself cannot be read: the server has it, or the disk does not give it back. */
function answerTrouble(folder: string | undefined, error: unknown): void {
  try {
    const found = policyIn(placesOf(folder ?? '', process.cwd()));
    if (!found) {
      print('');
      return;
    }
    const host = hostNamed(args[0] ?? '');
    // Without a host there is no answer format: the stub answers by the exit code and `on_error`.
    if (!host) throw error;
    const reason = `The guard of troupe failed: ${error instanceof Error ? error.message : error}`;
    print(host.formatAnswer({ decision: found.policy.onError, reason }));
  } catch (again) {
    // Not even the policy could be read. The stub has an answer for that; for a host that runs us itself this is one.
    process.exitCode = 2;
    writeSync(2, `The guard of troupe failed: ${again instanceof Error ? again.message : again}\n`);
  }
}

function placesOf(stateFolder: string, folder: string): CompiledPolicyFolders {
  const home = homeFolder();
  // Set by the stub: a host may run with another environment than the one it was installed from.
  const config = process.env['TROUPE_CONFIG'] || configFolder(process.env, home);
  return { home, configFolder: config, stateFolder, folder };
}

/** Like `os.homedir()`, which is slow to load and throws if the system does not know our user id. */
function homeFolder(): string {
  if (process.env['HOME']) return process.env['HOME'];
  try {
    return (require('node:os') as typeof import('node:os')).homedir();
  } catch {
    return '/';
  }
}

/** Not by process.stdout: setting that up takes longer than all the rest. */
function print(answer: string): void {
  const text = args[4] === 'end' ? `${answer}\0` : answer;
  if (text !== '') writeSync(1, text);
}

/** By the program itself, which knows the hosts. */
async function drain(folder: string): Promise<void> {
  const troupe = path.join(path.dirname(program), 'troupe.js');
  process.env['TROUPE_HOME'] = folder;
  process.argv.splice(1, process.argv.length, troupe, 'hooks', 'drain');
  await runProgram(troupe);
}

function attempt(folder: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    noteError(folder, error);
  }
}

const MAX_BYTES = 64 * 1024;

/** A host would show errors of its hook to a person who did not ask. The log is kept short. */
function noteError(folder: string, error: unknown): void {
  const file = path.join(folder, 'hook-errors.log');
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`);
    appendSync(file, `${new Date().toISOString()} ${words.slice(0, 4_000)}\n`);
  } catch {
    // There is nowhere left to report it: a full disk, or a folder that is not ours.
  }
}
