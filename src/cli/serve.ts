import { formatAge } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { RunningServer, ServerState, Serving } from '../server/index.ts';
import { type AgentFlags, stopAgent } from './attach.ts';
import { type SharedFlags, whereOf, writeJson } from './flags.ts';
import type { CliContext } from './run-cli.ts';

export interface ServeFlags extends SharedFlags {
  readonly port?: number;
  readonly open: boolean;
  readonly demo: boolean;
  readonly orDemo: boolean;
  readonly speed: number;
}

/** `troupe`: serves until Ctrl-C, or shows the server that runs already. */
export async function serve(this: CliContext, flags: ServeFlags): Promise<void> {
  const { terminal, server: control } = this.face;
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
  if (flags.open && terminal.width !== undefined) await openInBrowser(this, serving);
  if (isFound) return;
  if ((await ended) === 'replaced') terminal.note('Another troupe server has taken over; this one ends.');
}

/** Links go to a terminal only, where a person reads them within the minute that they work. */
async function announce({ face: { terminal } }: CliContext, flags: ServeFlags, serving: Serving): Promise<string> {
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

async function openInBrowser({ face: { terminal } }: CliContext, serving: Serving): Promise<void> {
  const link = await serving.login();
  if (link !== undefined) await terminal.browse(link);
}

/** `troupe open`: silent unless it fails, so that nothing of the link is left in a log. */
export async function open(this: CliContext): Promise<void> {
  const { server, terminal } = this.face;
  const link = await server.login();
  if (link === undefined) throw new UserError('no-server', 'No server is running.', 'Start one with: troupe start');
  if (!(await terminal.browse(link)))
    throw new UserError(
      'no-browser',
      'No browser could be opened on this machine.',
      'Run troupe in a terminal: it prints a login link that you can open anywhere the port is reachable.',
    );
}

/** A person who sees the page for the first time should see something; a program gets what is there. */
function wantsDemo({ face }: CliContext, { orDemo, open, json, root }: ServeFlags): boolean {
  return orDemo || (open && !json && root === undefined && face.terminal.width !== undefined);
}

async function hasNoSessions({ face }: CliContext, flags: ServeFlags): Promise<boolean> {
  const { total, places } = await face.sessions(whereOf(flags)).list({ limit: 1 });
  if (total === 0)
    face.terminal.note(
      `No sessions found (looked in ${places.join(', ')}): here is a recorded one, until yours begin.`,
    );
  return total === 0;
}

export interface StartFlags extends SharedFlags {
  readonly port?: number;
}

export async function start(this: CliContext, flags: StartFlags): Promise<void> {
  const server = await this.face.server.start({ where: whereOf(flags), ...known({ port: flags.port }) });
  if (flags.json) writeJson(this, server);
  else
    this.face.terminal.write(
      `troupe is running in the background at ${server.url}\nOpen the page with: troupe open\nStop it with: troupe stop\n`,
    );
  notePort(this, flags, server);
}

/** One that was found has the port that it has. */
function notePort({ face }: CliContext, { port }: StartFlags, server: RunningServer): void {
  if (port === undefined || port === server.port) return;
  face.terminal.note(`It runs already, not on port ${port}: to change that, end it first, with troupe stop.`);
}

export async function stop(this: CliContext, flags: AgentFlags, agent?: string): Promise<void> {
  if (agent !== undefined) return stopAgent.call(this, flags, agent);
  const { outcome, server } = await this.face.server.stop();
  if (flags.json) return writeJson(this, { outcome, server: server ?? null });
  const pid = server?.pid;
  const words = {
    none: 'No server runs.',
    stopped: `The server (process ${pid}) has ended.`,
    killed: `The server (process ${pid}) did not answer, nor end when it was told to: it was killed.`,
    stopping: `The server (process ${pid}) was told to end, but is still there. End it with: kill -9 ${pid}`,
    silent: `Process ${pid} does not answer as our server, and was left alone. If it is one: kill ${pid}`,
  };
  this.face.terminal.write(`${words[outcome]}\n`);
  if (outcome === 'stopping' || outcome === 'silent') this.endWith(1);
}

export async function status(this: CliContext, flags: Pick<SharedFlags, 'json'>): Promise<void> {
  const { server, state } = (await this.face.server.status()) ?? {};
  const answers = state === 'running';
  if (!answers) this.endWith(1);
  if (flags.json) return writeJson(this, { running: server !== undefined, answers, server: server ?? null });
  this.face.terminal.write(
    server ? `${describe(server, state, this.face.clock())}\n` : 'No server runs. Start one with: troupe start\n',
  );
}

function describe(server: RunningServer, state: ServerState['state'] | undefined, now: number): string {
  const { pid, port, version, startedAt, places, url } = server;
  const what = `troupe ${version} runs on port ${port} (process ${pid}), started ${formatAge(startedAt, now)}`;
  if (state === 'paused')
    return `${what}, but it is paused and does not answer.\nWake it with: kill -CONT ${pid}\nOr end it with: troupe stop`;
  if (state === 'stuck') return `${what}, but it does not answer.\nGive it a moment, or end it with: troupe stop`;
  return [`${what}.`, `It looks in ${places.join(', ')}`, `${url} (open it with: troupe open)`].join('\n');
}
