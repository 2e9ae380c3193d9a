import { buildCommand, buildRouteMap } from '@stricli/core';
import { cleanLine, formatAge } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { RunningServer, ServerState, Serving } from '../server/index.ts';
import { type AgentFlags, stopAgent } from './attach.ts';
import { type CliContext, warnOfOldName, writeJson } from './context.ts';
import {
  agentArgument,
  helpText,
  type JsonFlag,
  optional,
  optionalArgument,
  type SharedFlags,
  sharedFlags,
  toggle,
  toPort,
  toSpeed,
  whereOf,
  withDefault,
} from './flags.ts';

const port = optional(toPort, 'N', 'The port to serve on; a free one if left out');

const demoFlags = {
  demo: toggle('Play the recording that ships with troupe'),
  speed: withDefault(toSpeed, '1', 'X', 'How fast to play it'),
} as const;

export const serveCommand = buildCommand({
  func: serve,
  parameters: {
    flags: {
      ...sharedFlags,
      port,
      open: { kind: 'boolean', default: true, brief: 'Open the page in the browser' },
      ...demoFlags,
      orDemo: toggle('Where there is no session, play the recording that ships with troupe until one begins'),
    },
  },
  docs: helpText(
    'Serve the live page on this machine until Ctrl-C',
    ['troupe', 'troupe --port 4711 --no-open', 'troupe --demo --speed 4'],
    'Follows every session of this machine and serves it on 127.0.0.1. Opens the page in your browser; in a terminal it also',
    'prints a login link, which works once and for one minute.',
    'Where a server runs already, it is shown instead of a second one. With --root where that one looks elsewhere, and',
    'with --demo, a server of its own runs beside it. Where you have no session yet, the demo plays until one begins.',
  ),
});

const startOptions = {
  parameters: { flags: { ...sharedFlags, port } },
  docs: helpText(
    'Start the server in the background',
    ['troupe server start', 'troupe server start --port 4711 --json'],
    'Starts a server that keeps running after the terminal closes. If one is already running, prints its address instead.',
    'Open its page with: troupe open',
  ),
} as const;

const statusOptions = {
  parameters: { flags: { json: sharedFlags.json } },
  docs: helpText(
    'Show whether the server is running, and where',
    ['troupe server status', 'troupe server status --json | jq -r .server.port'],
    'Prints port, process, age and address of the running server. Exits with code 1 if none runs, or it does not answer.',
  ),
} as const;

const stopServerCommand = buildCommand({
  func: stopServer,
  parameters: { flags: { json: sharedFlags.json } },
  docs: helpText(
    'Stop the server',
    ['troupe server stop', 'troupe server stop --json'],
    'Stops the server, no matter how it was started. A server that does not answer gets a signal to end, and is killed if it',
    'ignores that.',
  ),
});

const passphraseCommand = buildCommand({
  func: setPassphrase,
  parameters: {},
  docs: helpText(
    'Set or change the passphrase with which you allow calls',
    ['troupe server passphrase'],
    'With the preset hands-off-the-guard, and for browsers on other machines, a call can only be allowed with this passphrase. Only',
    'a slow hash of it is kept. A browser needs it once, to be paired; troupe watch and troupe guard answer ask for it each time.',
    'Needs a terminal that no coding agent started, and the old passphrase if there is one.',
  ),
});

const browsersCommand = buildCommand({
  func: browsers,
  parameters: {
    flags: {
      json: sharedFlags.json,
      revoke: optional(String, 'ID', 'End the pairing of this browser'),
    },
  },
  docs: helpText(
    'List the browsers that may allow calls, and end their pairing',
    ['troupe server browsers', 'troupe server browsers --revoke 3f9a12c0b7de'],
    'A browser is paired on the page with the passphrase for approvals, for 30 days. Changing the passphrase ends all pairings.',
  ),
});

export const serverRoutes = buildRouteMap<string, CliContext<'server'>>({
  routes: {
    start: buildCommand({ func: start, ...startOptions }),
    stop: stopServerCommand,
    status: buildCommand({ func: status, ...statusOptions }),
    passphrase: passphraseCommand,
    browsers: browsersCommand,
  },
  docs: { brief: 'Start and stop the server in the background, and show its status' },
});

/** Old name of `troupe server start`; works until 0.3. */
export const startCommand = buildCommand({
  func(this: CliContext<'server'>, flags: StartFlags) {
    warnOfOldName(this, 'troupe start', 'troupe server start');
    return start.call(this, flags);
  },
  ...startOptions,
});

/** Old name of `troupe server status`; works until 0.3. */
export const statusCommand = buildCommand({
  func(this: CliContext<'server'>, flags: JsonFlag) {
    warnOfOldName(this, 'troupe status', 'troupe server status');
    return status.call(this, flags);
  },
  ...statusOptions,
});

/** Without an agent, the old name of `troupe server stop`; works until 0.3. */
export const stopCommand = buildCommand({
  func: stop,
  parameters: {
    flags: { json: sharedFlags.json, root: sharedFlags.root },
    positional: optionalArgument('AGENT', agentArgument.brief),
  },
  docs: {
    ...helpText(
      'Stop an agent',
      ['troupe stop ae4b3f4', 'troupe stop ses_49c7c5e7 --json'],
      'Stops an agent that `troupe run` started, or whose host can stop it (docs/ATTACH.md lists them). Otherwise prints why it',
      'cannot, and exits with code 1.',
    ),
    customUsage: ['[--json] [--root DIR]... <AGENT>'],
  },
});

export const openCommand = buildCommand({
  func: open,
  parameters: {},
  docs: helpText(
    'Open the page of the running server in your browser',
    ['troupe open'],
    'Logs your browser in at the running server and opens its page. Prints nothing. For people: a coding agent, or a command that',
    'one started, is refused.',
  ),
});

export const watchCommand = buildCommand({
  func: watch,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Write every event as a line of JSON (docs/API.md has the names)' },
      plain: toggle('Write lines, also where somebody watches'),
      lines: toggle('Write what a chat would be told (docs/TELEGRAM.md)'),
      ...demoFlags,
    },
    positional: optionalArgument('SESSION', 'Only this session, by the first characters of its id; default: all'),
  },
  docs: helpText(
    'Watch the live tree in the terminal',
    ['troupe watch', 'troupe watch 30d8c624', 'troupe watch --json | jq -c .type', 'troupe watch --demo --speed 4'],
    'Shows every session at work with its agents: status, current tool, tokens, time, silence. Uses the running server, or',
    'follows by itself. Keys: arrows move and fold, / filters, s sorts, enter reads a transcript, ? tells the rest, q quits.',
    'Piped, it writes a line for each change; with --json, every event; with --lines, what troupe telegram would tell.',
  ),
});

interface ServeFlags extends StartFlags {
  readonly open: boolean;
  readonly demo: boolean;
  readonly orDemo: boolean;
  readonly speed: number;
}

/** `troupe`: serves until Ctrl-C, or shows the server that runs already. */
async function serve(this: CliContext<'server' | 'reader'>, flags: ServeFlags): Promise<void> {
  const { terminal, server: control } = this;
  const demoSpeed = flags.demo ? flags.speed : undefined;
  const serving = await control.serve({
    where: whereOf(flags),
    demoUntilFirst: async () => wantsDemo(this, flags) && (await hasNoSessions(this, flags)),
    ...known({ port: flags.port, demoSpeed }),
  });
  const { server, isFound, ended } = serving;
  if (flags.json) writeJson(this, { ...server, ...(serving.isAlone && { loginUrl: await serving.login() }) });
  else terminal.write(await announce(this, flags, serving));
  if (isFound) notePort(this, flags, server);
  const link = flags.open && terminal.width !== undefined ? await serving.login() : undefined;
  if (link !== undefined) await terminal.browse(link);
  if (isFound) return;
  if ((await ended) === 'replaced') terminal.note('Another troupe server has taken over; this one ends.');
}

/** Links go to a terminal only, where a person reads them within the minute that they work. */
async function announce({ terminal }: CliContext, flags: ServeFlags, serving: Serving): Promise<string> {
  const { server, isFound, isAlone } = serving;
  const link = terminal.width !== undefined || isAlone ? await serving.login() : undefined;
  const how = flags.open ? 'If your browser does not open, use this link' : 'Open this link in your browser';
  const hint = isAlone ? 'It gives no login link to coding agents.' : 'Open it in your browser: troupe open';
  return [
    `troupe ${isFound ? 'is already running' : flags.demo ? 'plays its demo' : 'is running'} at ${server.url}`,
    ...(link === undefined ? [hint] : [`${how} (it works once, for one minute):`, `  ${link}`]),
    ...(isFound ? [] : ['Press Ctrl-C to stop.']),
    '',
  ].join('\n');
}

/** `troupe open`: silent unless it fails, so that nothing of the link is left in a log. */
async function open(this: CliContext<'server'>): Promise<void> {
  const { server, terminal } = this;
  const link = await server.login();
  if (link === undefined)
    throw new UserError('no-server', 'No server is running.', 'Start one with: troupe server start');
  if (!(await terminal.browse(link)))
    throw new UserError(
      'no-browser',
      'No browser could be opened on this machine.',
      'Run troupe in a terminal: it prints a login link that you can open anywhere the port is reachable.',
    );
}

/** A person who sees the page for the first time should see something; a program gets what is there. */
function wantsDemo({ terminal }: CliContext, { orDemo, open, json, root }: ServeFlags): boolean {
  return orDemo || (open && !json && root === undefined && terminal.width !== undefined);
}

async function hasNoSessions({ reader, terminal }: CliContext<'reader'>, flags: ServeFlags): Promise<boolean> {
  const { total, places } = await reader.sessions(whereOf(flags)).list({ limit: 1 });
  if (total === 0)
    terminal.note(`No sessions found (looked in ${places.join(', ')}): here is a recorded one, until yours begin.`);
  return total === 0;
}

interface StartFlags extends SharedFlags {
  readonly port?: number;
}

async function start(this: CliContext<'server'>, flags: StartFlags): Promise<void> {
  const server = await this.server.start({ where: whereOf(flags), ...known({ port: flags.port }) });
  if (flags.json) writeJson(this, server);
  else
    this.terminal.write(
      `troupe is running in the background at ${server.url}\nOpen the page with: troupe open\nStop it with: troupe server stop\n`,
    );
  notePort(this, flags, server);
}

/** One that was found has the port that it has. */
function notePort({ terminal }: CliContext, { port }: StartFlags, server: RunningServer): void {
  if (port === undefined || port === server.port) return;
  terminal.note(
    `The server is already running, not on port ${port}. To change the port, stop it first: troupe server stop`,
  );
}

async function stop(this: CliContext<'server' | 'agents'>, flags: AgentFlags, agent?: string): Promise<void> {
  if (agent !== undefined) return stopAgent.call(this, flags, agent);
  warnOfOldName(this, 'troupe stop without an agent', 'troupe server stop');
  return stopServer.call(this, flags);
}

async function stopServer(this: CliContext<'server'>, flags: JsonFlag): Promise<void> {
  const { outcome, server } = await this.server.stop();
  if (flags.json) return writeJson(this, { outcome, server: server ?? null });
  const pid = server?.pid;
  const words = {
    none: 'No server runs.',
    stopped: `The server (process ${pid}) has ended.`,
    killed: `The server (process ${pid}) did not answer, nor end when it was told to: it was killed.`,
    stopping: `The server (process ${pid}) was told to end, but is still there. End it with: kill -9 ${pid}`,
    silent: `Process ${pid} does not answer as our server, and was left alone. If it is one: kill ${pid}`,
  };
  this.terminal.write(`${words[outcome]}\n`);
  if (outcome === 'stopping' || outcome === 'silent') this.endWith(1);
}

async function status(this: CliContext<'server'>, flags: JsonFlag): Promise<void> {
  const { server, state } = (await this.server.status()) ?? {};
  const answers = state === 'running';
  if (!answers) this.endWith(1);
  if (flags.json) return writeJson(this, { running: server !== undefined, answers, server: server ?? null });
  this.terminal.write(
    server ? `${describe(server, state, this.clock())}\n` : 'No server runs. Start one with: troupe server start\n',
  );
}

async function setPassphrase(this: CliContext<'server'>): Promise<void> {
  const { terminal, server } = this;
  const { askWords } = terminal;
  if (!askWords)
    throw new UserError('no-terminal', 'A passphrase is set in a terminal only.', 'Run this where you can type.');
  await server.passphrase.assertPerson();
  const { setAt, alarm } = await server.passphrase.status();
  if (alarm !== null) throw new UserError('passphrase-alarm', alarm, 'See docs/explanation/guard-model.md');
  if (setAt !== null) terminal.note(`A passphrase was set ${formatAge(setAt, this.clock())} (${setAt}).`);
  const ask = async (question: string): Promise<string> => {
    const typed = await askWords(question, { isSecret: true });
    if (typed === undefined) throw new UserError('usage', 'Nothing was typed.', 'The passphrase stays as it is.');
    return typed;
  };
  const old = setAt === null ? undefined : await ask('Old passphrase:');
  const passphrase = await ask('New passphrase:');
  if ((await ask('The same again:')) !== passphrase)
    throw new UserError('usage', 'The two are not the same.', 'The passphrase stays as it is. Try again.');
  await server.passphrase.set(passphrase, old);
  terminal.note(
    setAt === null
      ? 'The passphrase is set. Pair your browser: troupe open, then enter it on the page when a call waits.'
      : 'The passphrase is changed. All browsers have to be paired again.',
  );
}

async function browsers(
  this: CliContext<'server'>,
  { json, revoke }: JsonFlag & { readonly revoke?: string },
): Promise<void> {
  if (revoke !== undefined) await this.server.passphrase.unpair(revoke);
  const status = await this.server.passphrase.status();
  if (json) return writeJson(this, status);
  const { alarm, setAt, browsers: paired } = status;
  const lines = paired.map(
    ({ id, name, pairedAt, expiresAt }) => `${id}  ${cleanLine(name)}  paired ${pairedAt}  until ${expiresAt}`,
  );
  this.terminal.write(`${lines.length > 0 ? lines.join('\n') : 'No browser is paired.'}\n`);
  this.terminal.note(alarm ?? (setAt === null ? 'No passphrase is set.' : `The passphrase was set at ${setAt}.`));
  if (alarm !== null) this.endWith(1);
}

function describe(server: RunningServer, state: ServerState['state'] | undefined, now: number): string {
  const { pid, port, version, startedAt, places, url } = server;
  const what = `troupe ${version} runs on port ${port} (process ${pid}), started ${formatAge(startedAt, now)}`;
  if (state === 'paused')
    return `${what}, but it is paused and does not answer.\nWake it with: kill -CONT ${pid}\nOr end it with: troupe server stop`;
  if (state === 'stuck')
    return `${what}, but it does not answer.\nGive it a moment, or end it with: troupe server stop`;
  return [`${what}.`, `It looks in ${places.join(', ')}`, `${url} (open it with: troupe open)`].join('\n');
}

interface WatchFlags extends SharedFlags {
  readonly demo: boolean;
  readonly speed: number;
  readonly plain: boolean;
  readonly lines: boolean;
}

async function watch(this: CliContext<'live'>, flags: WatchFlags, session?: string): Promise<void> {
  const { json, plain, lines } = flags;
  const demoSpeed = flags.demo ? flags.speed : undefined;
  await this.live.watch({ where: whereOf(flags), json, plain, lines, ...known({ demoSpeed, session }) });
}
