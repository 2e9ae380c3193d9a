// dist/hook.cjs: what a hook runs where no server answers it. It starts in the way of every tool call, so it imports nothing
// it does not need; `drain` loads the rest. Whoever ends with another code than 0 has not answered: the stub does so then.
//   guard HOST DRAFT PPID [SINCE]   from the guard stub; DRAFT with its folders, SINCE in epoch seconds
//   guard HOST STATE/spool/- PPID   from the guard stub that found no place for a draft; with the payload on stdin
//   guard HOST                      with the payload on stdin
//   drain STATE                     reads the spool

import { existsSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isDraftOf, MAX_SPOOL_BYTES, parseSpooled, putSpoolFile, settleSpooled } from '../audit/queue-file.ts';
import { agentsTold } from '../guard/identity.ts';
import { type IsWanted, type ReadCompiled, readCompiled, type WhereCompiledIs } from '../guard/policy/compiled-file.ts';
import type { RuleGroup } from '../guard/policy/packed-rules.ts';
import {
  aboutCaller,
  type Judgement,
  type JudgeOptions,
  preCheck,
  toUnreadCall,
  withAbove,
} from '../guard/pre-check.ts';
import { type GuardedHost, JUDGED_HOSTS } from '../hosts/judged-hosts.ts';
import { loadCompiled } from '../lib/load-compiled.ts';
import { appendSync, readRegularSync } from '../lib/regular-file.ts';
import { configFolder } from '../lib/state-folder.ts';

/** Of hook-judge.cjs and hook-hosts.cjs, by scripts/build.mjs. */
declare const JUDGE_DIGEST: string;
declare const HOSTS_DIGEST: string;

const [, program = '', command, ...args] = process.argv;
/** What is better done when the host waits no more. */
const afterwards: (() => void)[] = [];
void runHook();

/** Whatever happens, there is an answer: where something goes wrong, the policy's own for that. */
async function runHook(): Promise<void> {
  let folder = command === 'drain' ? args[0] : args[1] && path.dirname(path.dirname(args[1]));
  try {
    folder ??= await ownFolder();
    if (command === 'guard') print(guard(folder));
    else if (command === 'drain') await drain(folder);
    else throw new Error(`hook.cjs knows no ${command}`);
  } catch (error) {
    if (command === 'guard') answerTrouble(folder, error);
    if (folder !== undefined) noteError(folder, error);
  }
  try {
    for (const keep of afterwards) keep();
  } catch (error) {
    if (folder !== undefined) noteError(folder, error);
  }
}

function guard(folder: string): string {
  const [host = '', place, ppid, since] = args;
  const guarding = guardingIn(folder);
  const draft = place === undefined ? '-' : path.basename(place);
  if (draft === '-') return guardStdin(folder, host, guarding, ppid === undefined ? process.ppid : Number(ppid));
  const call = { host, draft, ppid: Number(ppid) };
  return guardStubCall(folder, since ? { ...call, since: Number(since) * 1_000 } : call, guarding);
}

function guardingIn(folder: string): Guarding {
  return {
    judge(name, payload, ppid) {
      const host = hostNamed(name, folder);
      if (!host) {
        if (!policyIn(placesOf(folder, process.cwd()))) return { printed: '', decision: 'none' };
        throw new Error(`this troupe does not know the calls of ${name}`);
      }
      const caller = host.callerOf(payload, ppid);
      const event = host.read(payload, ppid);
      const now = { home: homeFolder(), at: Date.now() };
      const above = agentsTold(process.env['TROUPE_AGENT']);
      let isAbout: readonly ReturnType<typeof aboutCaller>[] | undefined;
      const isForCaller: IsWanted = (agents) => {
        if (!event?.call) return true;
        if (!isAbout) {
          const call = toUnreadCall(event, caller, now);
          // Judged as it is, and as one below those that its environment names.
          isAbout = [call, ...(above.length > 0 ? [withAbove(call, above)] : [])].map(aboutCaller);
        }
        return isAbout.some((isOne) => isOne(agents));
      };
      const found = policyIn(placesOf(folder, caller.project ?? event?.cwd ?? process.cwd()), isForCaller);
      if (!found) return { printed: '', decision: 'none' };
      const policyFor: JudgeOptions['policyFor'] = (_, commands) => {
        if (commands === undefined || found.state !== 'current') return found.policy;
        const rules = found.rulesOf(
          (agents, command) =>
            (command === null || commands === null || commands.has(command)) && isForCaller(agents, command),
        );
        return { ...found.policy, rules };
      };
      const options = { host, process: ppid, caller, above, policyFor, ...now };
      return tryPreCheck(payload, options) ?? judgeWhole(folder, payload, options);
    },
    onError: (error) => noteError(folder, error),
  };
}

/** Before a call is taken apart, one rule about a command stands for all about commands of the same agents. */
function firstOfCommands(isForCaller: IsWanted): IsWanted {
  const told = new Set<RuleGroup['agents']>();
  return (agents, command) => {
    if (command === null) return isForCaller(agents, command);
    const isFirst = !told.has(agents);
    if (isFirst) told.add(agents);
    return isFirst && isForCaller(agents, command);
  };
}

function hostNamed(name: string, folder: string): GuardedHost | undefined {
  if (Object.hasOwn(JUDGED_HOSTS, name)) return JUDGED_HOSTS[name];
  const { MORE_JUDGED_HOSTS } = load<typeof import('./hosts.ts')>('hook-hosts.cjs', HOSTS_DIGEST, folder);
  return Object.hasOwn(MORE_JUDGED_HOSTS, name) ? MORE_JUDGED_HOSTS[name] : undefined;
}

/** Another part of the hook, which lies beside it. */
function load<Exports>(name: string, digest: string, folder: string): Exports {
  const file = path.join(path.dirname(program), name);
  const { exports, keep } = loadCompiled<Exports>({ file, digest, folder: path.join(folder, 'code') }, require);
  if (folder !== '') afterwards.push(keep);
  return exports;
}

/** What goes wrong here goes wrong again in `judgeCall`, which answers it. */
function tryPreCheck(payload: unknown, options: JudgeOptions): Judgement | undefined {
  try {
    return preCheck(payload, options);
  } catch {
    return undefined;
  }
}

function judgeWhole(folder: string, payload: unknown, options: JudgeOptions): Judgement {
  const { judgeAlone } = load<typeof import('./judge.ts')>('hook-judge.cjs', JUDGE_DIGEST, folder);
  return judgeAlone(payload, options);
}

/** Nothing where there is none. One that has changed is compiled by the program, once; here no YAML is read. */
function policyIn(where: WhereCompiledIs, isForCaller: IsWanted = () => true): ReadCompiled | undefined {
  const found = readCompiled(where, firstOfCommands(isForCaller));
  if (found.state === 'none') return undefined;
  if (found.state === 'current') return found;
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const troupe = path.join(path.dirname(program), 'troupe.js');
  const { configFolder, stateFolder } = where;
  // Where both lie in one folder, it was named so.
  const own = configFolder === stateFolder ? { TROUPE_HOME: stateFolder } : {};
  const options = {
    cwd: nearest(where.folder),
    env: { ...process.env, ...own },
    timeout: COMPILE_MS,
    killSignal: 'SIGKILL' as const,
    stdio: 'ignore' as const,
  };
  spawnSync(process.execPath, [troupe, 'guard', 'check'], options);
  return readCompiled(where, firstOfCommands(isForCaller));
}

/** Less than the stub waits for us. */
const COMPILE_MS = 5_000;

/** A program cannot be started in a folder that is gone. */
function nearest(folder: string): string {
  const above = path.dirname(folder);
  return existsSync(folder) || above === folder ? folder : nearest(above);
}

/** The call itself is lost to us: the server has it, or the disk does not give it back. Where there is a policy, one asks. */
function answerTrouble(folder: string | undefined, error: unknown): void {
  try {
    const { state, policy } = readCompiled(placesOf(folder ?? '', process.cwd()));
    if (state === 'none') return;
    const host = hostNamed(args[0] ?? '', folder ?? '');
    // In which words nobody knows: the stub says it by the code, by `on_error`.
    if (!host) throw error;
    const reason = `The guard of troupe failed: ${error instanceof Error ? error.message : error}`;
    print(host.formatAnswer({ decision: policy.onError, reason }));
  } catch (again) {
    // Not even the policy could be read. The stub has an answer for that; for a host that runs us itself this is one.
    process.exitCode = 2;
    writeSync(2, `The guard of troupe failed: ${again instanceof Error ? again.message : again}\n`);
  }
}

function placesOf(stateFolder: string, folder: string) {
  const home = homeFolder();
  // Said by the stub: a host may run with another environment than the one it was installed from.
  const config = process.env['TROUPE_CONFIG'] || configFolder(process.env, home);
  return { home, configFolder: config, stateFolder, folder };
}

/** As `os.homedir()` has it, which takes its time to load and throws where the system knows nobody of our number. */
function homeFolder(): string {
  if (process.env['HOME']) return process.env['HOME'];
  try {
    return (require('node:os') as typeof import('node:os')).homedir();
  } catch {
    return '/';
  }
}

/** Not by process.stdout: to set that up takes longer than all the rest. */
function print(text: string): void {
  if (text !== '') writeSync(1, text);
}

/** By the program itself, which knows the hosts. */
async function drain(folder: string): Promise<void> {
  const { pathToFileURL } = await import('node:url');
  const troupe = path.join(path.dirname(program), 'troupe.js');
  process.env['TROUPE_HOME'] = folder;
  process.argv.splice(1, process.argv.length, troupe, 'hooks', 'drain');
  await import(pathToFileURL(troupe).href);
}

async function ownFolder(): Promise<string> {
  const { stateFolder } = await import('../lib/state-folder.ts');
  return stateFolder({ env: process.env, home: homeFolder() });
}

/** What the guard stub hands on: it has put the payload into a draft of the spool already. */
interface StubCall {
  readonly host: string;
  /** The name of the draft. */
  readonly draft: string;
  readonly ppid: number;
  /** Epoch milliseconds; not every shell can tell. */
  readonly since?: number;
}

interface Guarding {
  /** What is decided about a call, and what is to be printed. Never throws. */
  judge(host: string, payload: unknown, ppid: number): { readonly printed: string; readonly input?: unknown } & object;
  /** Something went wrong that does not change the decision. */
  onError(error: unknown): void;
}

/** Decides about a call where no server runs. Gives what is to be printed: whether it could be kept does not change that. */
function guardStubCall(folder: string, call: StubCall, { judge, onError }: Guarding): string {
  const { host, draft, ppid, since } = call;
  if (!isDraftOf(host, draft)) throw new Error(`no draft of ${host}: ${draft}`);
  const bytes = readRegularSync(path.join(folder, 'spool', draft), MAX_SPOOL_BYTES);
  const { printed, input: _given, ...decided } = judge(host, parseSpooled(bytes)?.payload, ppid);
  attempt(() => settleSpooled(folder, draft, { ppid, ...startedBy(), ...decided }, since), onError);
  return printed;
}

/** The same for a call that is told on stdin, where no shell stands between the host and us. */
function guardStdin(folder: string, host: string, { judge, onError }: Guarding, ppid: number): string {
  if (!/^[a-z0-9-]{1,64}$/.test(host)) throw new Error(`no name of a host: ${host}`);
  if (process.stdin.isTTY) return '';
  const payload = readFileSync(0);
  // There is nothing to keep; a host that goes on all the same must hear something.
  if (payload.length === 0) return judge(host, undefined, ppid).printed;
  const { printed, input: _given, ...decided } = judge(host, parseSpooled(payload)?.payload, ppid);
  const ms = Math.round(process.uptime() * 10_000) / 10;
  attempt(() => putSpoolFile(folder, host, payload, { ppid, ...startedBy(), ...decided, ms }), onError);
  return printed;
}

/** Who started the host that runs us, where an agent did (guard/tell-identity.ts). */
function startedBy(): { readonly parent?: string } {
  const parent = process.env['TROUPE_PARENT'];
  return parent ? { parent } : {};
}

function attempt(keep: () => unknown, onError: (error: unknown) => void): void {
  try {
    keep();
  } catch (error) {
    onError(error);
  }
}

const MAX_BYTES = 64 * 1024;

/** A hook has nobody to tell what went wrong: the host would show it to a person who did not ask. The log is kept short. */
function noteError(folder: string, error: unknown): void {
  const file = path.join(folder, 'hook-errors.log');
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`);
    appendSync(file, `${new Date().toISOString()} ${words.slice(0, 4_000)}\n`);
  } catch {
    // There is no place left to say so: a full disk, or a folder that is not ours.
  }
}
