import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { queueEvent } from '../audit/index.ts';
import { createTerminalPrompt, findResult, type GivenResult, readResultsFile, toCall } from '../guard/index.ts';
import type { ControlAnswer } from '../hosts/index.ts';
import { loadHost, loadHosts } from '../hosts/registry.ts';
import { known } from '../lib/json.ts';
import { createLineSplitter, type Line } from '../lib/lines.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import type { SharedScreen } from '../lib/screen.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { thisMachine, waitForCaller } from '../sessions/index.ts';
import { type CreateCallBroker, isMeant, type RunRequest } from './requests.ts';
import { type Steering, steerChild, type WaitingCall } from './steer.ts';

/** A program that will be steered. */
export interface Interception {
  /** In place of the person's own. */
  readonly command: RunRequest['command'];
  /** Takes over both ends. What is to be printed goes to `print`. */
  attach(child: ChildProcess, print: (bytes: Uint8Array) => void): Steering;
}

export async function prepareInterception(
  request: RunRequest,
  screen: SharedScreen,
  createCallBroker: CreateCallBroker,
): Promise<Interception> {
  const { command, inject } = request;
  const [program, ...args] = command;
  const { host, control } = await steeredBy(request);
  const plan = control.plan(args);
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  const given = inject === undefined ? undefined : createGivenResults(inject, folder, host);
  const askAtTerminal = createTerminalPrompt(screen);
  const judge = createCallBroker({ folder, host, ...(askAtTerminal && { askAtTerminal }) });
  return {
    command: [program, ...plan.args],
    attach(child, print) {
      const decide = async ({ payload, call, isQuestion, signal }: WaitingCall): Promise<ControlAnswer> => {
        const result = isQuestion ? undefined : await given?.(payload, child.pid);
        if (result) return result;
        const asks = isQuestion ? 'always' : 'policy';
        return { kind: 'printed', printed: await judge({ payload, call, process: child.pid, asks, signal }) };
      };
      const steering = steerChild(child, { control, plan, print, decide, onError: reportTrouble });
      void feed(steering, plan).catch(reportTrouble);
      return steering;
    },
  };
}

async function steeredBy(request: RunRequest) {
  const adapters = await loadHosts();
  for (const adapter of adapters)
    if (adapter.control && isMeant(adapter, request)) return { host: adapter.host, control: adapter.control };
  const known = adapters.filter((adapter) => adapter.control).map(({ title, host: name }) => `${title} (${name})`);
  throw new UserError(
    'not-steered',
    `troupe cannot steer «${request.command[0]}».`,
    `Leave out --intercept, or name the host with --host. It works with ${known.join(', ')}.`,
  );
}

/** As the program itself: so long it waits for a stdin that says nothing, where it has a prompt already. */
const SILENT_MS = 3_000;

async function feed(steering: Steering, { input, prompt }: { readonly input: string; readonly prompt?: string }) {
  const { stdin } = process;
  if (input === 'lines') {
    const splitter = createLineSplitter({ maxLineBytes: Number.MAX_SAFE_INTEGER });
    const pass = ({ bytes }: Line): void => {
      if (bytes.length > 0) steering.passLine(bytes);
    };
    for await (const chunk of stdin) splitter.push(chunk as Buffer).forEach(pass);
    const rest = splitter.rest();
    if (rest) pass(rest);
  } else {
    const text = stdin.isTTY ? '' : await textOn(stdin, prompt === undefined ? undefined : SILENT_MS);
    const whole = [prompt, text].filter((part) => part).join('\n');
    if (whole !== '') steering.say(whole);
  }
  steering.finishInput();
}

async function textOn(stdin: NodeJS.ReadStream, silentMs: number | undefined): Promise<string> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const timer = silentMs === undefined ? undefined : setTimeout(resolve, silentMs);
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.once('end', resolve);
    stdin.once('error', () => resolve());
  });
  stdin.pause();
  // A pipe that stays open would keep us alive.
  stdin.unref?.();
  return Buffer.concat(chunks).toString('utf8');
}

/** The result that a file gives to a call in place of its own, written down in the audit. Throws where the file is not right. */
export function createGivenResults(file: string, folder: string, host: string) {
  const { home } = thisMachine();
  const results = read(path.resolve(file), home);
  return async (payload: unknown, process: number | undefined): Promise<ControlAnswer | undefined> => {
    const since = performance.now();
    const hooks = (await loadHost(host))?.hooks;
    const event = hooks?.read(payload, process);
    if (!hooks || !event?.call) return undefined;
    const look = () => hooks.callerOf(payload, process);
    const caller = await waitForCaller(look, look());
    const result = findResult(results, toCall(event, { caller, home, at: Date.now() }));
    if (!result) return undefined;
    const ms = Math.round((performance.now() - since) * 10) / 10;
    const decided = { decision: 'inject', rule: result.rule.id, reason: reasonOf(result), ms };
    const noted = { ...decided, via: 'intercept', ...known({ ppid: process }) };
    try {
      queueEvent(folder, host, Buffer.from(JSON.stringify(payload)), noted);
    } catch (error) {
      // A full disk does not change what the agent is to see.
      reportTrouble(error);
    }
    return { kind: 'result', text: result.text, isError: result.isError };
  };
}

function reasonOf({ rule: { name, place } }: GivenResult): string {
  const where = place ? `${path.basename(place.file)}:${place.line}` : 'a file';
  return `It did not run: its result was given by ${where}${name === null ? '' : `, ${name}`}.`;
}

function read(file: string, home: string): readonly GivenResult[] {
  const found = readResultsFile(file, home);
  if (!found) throw new UserError('no-results', `There is no file ${file}.`, 'Name the file of results with --inject.');
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return found.results;
  const lines = errors.map(({ line, column, message, remedy }) => {
    const what = remedy === null ? message : `${message} ${remedy}`;
    return `  ${path.basename(file)}:${line}:${column} ${what}`;
  });
  throw new UserError(
    'bad-results',
    `The file of results cannot be used:\n${lines.join('\n')}`,
    'Nothing was started. docs/INTERCEPT.md has what the file may say.',
  );
}
