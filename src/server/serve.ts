import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { createGuardLog } from '../audit/index.ts';
import { attachTo } from '../control/index.ts';
import { type BudgetReport, computeSpend } from '../core/index.ts';
import { createServedExport } from '../export/index.ts';
import {
  BudgetJudge,
  createPolicyCache,
  createPolicyReader,
  followHostApprovals,
  isHandsOff,
  limitsIn,
  QuestionTurns,
} from '../guard/index.ts';
import { createHookKeys, keepHookAddress } from '../hook/index.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { packageFolder, packageVersion, programFile } from '../lib/package.ts';
import { openFilesLimit } from '../lib/processes.ts';
import { readRegular } from '../lib/regular-file.ts';
import { onEndSignal, reportTrouble } from '../lib/report-trouble.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';
import { orElse, UserError } from '../lib/user-error.ts';
import {
  createSessions,
  dataFoldersFor,
  findAgentAbove,
  type Live,
  type OpenCache,
  readOwnSettings,
  type SessionScope,
  thisMachine,
} from '../sessions/index.ts';
import { ApprovalProof, createPassphraseControl, isRemote, refuseAgents } from './approval-proof.ts';
import { claimDaemon } from './claim-daemon.ts';
import { findDaemon, readDaemonState, stopDaemon } from './control.ts';
import { type Address, createIdentity, type Daemon, describeOwn, readAddress, writeAddress } from './daemon-file.ts';
import { type Followed, follow } from './follow.ts';
import { createHookIntake, createServerApprovals } from './hook-intake.ts';
import { createServer, type Server } from './http/create-server.ts';
import { Logins } from './http/gate.ts';
import type { PageFile, PageFiles } from './http/page.ts';
import type { ServedCost } from './http/routes.ts';
import { remoteFeed } from './remote-feed.ts';
import { createApprovalControl, requestLogin, requestTimeline, requestTranscript } from './request-server.ts';
import { LiveUsage } from './served-budgets.ts';
import { openServedFeed, type ServedFeed, withApprovals } from './served-feed.ts';
import { createServedSearch } from './served-search.ts';
import {
  createServedGuard,
  type RunningServer,
  type ServedGuard,
  type ServeRequest,
  type ServerControl,
  type Serving,
} from './server-control.ts';
import { startInBackground } from './start-in-background.ts';

/** One server for each person, in this process or in another. */
/** `openCache`: what was read of sessions before, for those that are not followed. */
export function createServerControl({ openCache }: { readonly openCache?: OpenCache } = {}): ServerControl {
  const folder = stateFolder(thisMachine());
  return {
    serve: (request) => serve(folder, { ...request, ...known({ openCache }) }),
    passphrase: createPassphraseControl(folder, () => findAgentAbove(process.pid)),
    async start(request) {
      const running = await findDaemon(folder);
      if (running && isFor(running, request.where)) return toServer(running);
      if (running) throw runsElsewhere(running);
      return toServer(
        await startInBackground({ folder, command: process.execPath, args: argumentsOf(request), env: process.env }),
      );
    },
    async stop() {
      const { outcome, daemon } = await stopDaemon(folder);
      return { outcome, ...(daemon && { server: toServer(daemon) }) };
    },
    async status() {
      const found = await readDaemonState(folder);
      if (found.state === 'none' || found.state === 'silent') return undefined;
      return { state: found.state, server: toServer(found.daemon) };
    },
    async login() {
      const daemon = await findDaemon(folder);
      return daemon && loginUrl(daemon.port, await requestLogin(daemon));
    },
    async feed(where, onState) {
      const find = async (): Promise<Daemon | undefined> => {
        const found = await findDaemon(folder);
        return found && isFor(found, where) ? found : undefined;
      };
      const daemon = await find();
      if (!daemon) return undefined;
      return {
        ...remoteFeed(daemon, { refind: find, onState }),
        port: daemon.port,
        isServed: async () => (await find()) !== undefined,
        transcript: async (agent, range, session) => requestTranscript((await find()) ?? daemon, agent, range, session),
        timeline: async (session, since) => requestTimeline((await find()) ?? daemon, session, since),
      };
    },
  };
}

async function serve(folder: string, request: ServeRequest): Promise<Serving> {
  const { where, demoSpeed } = request;
  const isDemo = demoSpeed !== undefined;
  const running = isDemo ? undefined : await findDaemon(folder);
  if (running && isFor(running, where)) return foundServer(running);
  // The demo, and a server beside one that looks elsewhere, serve those who were given their address.
  const isAlone = isDemo || running !== undefined;
  const last = isAlone ? undefined : await readAddress(folder);
  const indexing = new IndexBuilds(where);
  const live = await follow({ ...request, onUnread: (sessions) => indexing.note(sessions) });
  reportNotices(live);
  const { token, keys: channelKeys, epoch } = createIdentity();
  let address: Address = { ...last, port: 0, logins: last?.logins ?? [] };
  // Without it, browsers have to log in again after a restart, and find another port: no reason not to serve.
  const keepAddress = async (change: Partial<Address>): Promise<void> => {
    address = { ...address, ...change };
    if (!isAlone && address.port !== 0) await writeAddress(folder, address).catch(reportTrouble);
  };
  const logins = new Logins({
    clock: systemClock,
    kept: address.logins,
    onChange: (digests) => void keepAddress({ logins: digests }),
  });
  const alarms = new Set<string>();
  const proof = isAlone ? undefined : createProof(folder, last?.approvalKey, alarms, keepAddress);
  const startedAt = systemClock();
  const page = await readPageFiles();
  const keys = createHookKeys();
  const desk = isAlone ? undefined : createServerApprovals();
  const turns = new QuestionTurns();
  const asking = desk && { desk, turns, onError: reportTrouble, ...known({ nameCaller: live.nameCaller }) };
  const usage = new LiveUsage(
    live.trees,
    createSessions(dataFoldersFor(where), { clock: systemClock, ...known({ openCache: request.openCache }) }),
    systemClock,
  );
  const budgets = { judge: new BudgetJudge(usage, folder), onNotes: live.noteBudgets };
  const hooks = asking && createHookIntake(folder, keys, asking, budgets);
  const search = isDemo ? undefined : createServedSearch(where);
  const server = createServer({
    ...{ live, token, keys: channelKeys, logins, checkAnswerer: refuseAgents, epoch, startedAt, page },
    ...{ version: packageVersion, onError: reportTrouble },
    exports: createServedExport(live.whereOf),
    ...(desk && { budgets: () => reportBudgets(folder, live, budgets.judge) }),
    cost: serveCost(isDemo ? live.whereOf({ cwd: null }) : where, request.openCache),
    attach: async ({ id, ownSessionId, cwd }, wish) => {
      const attaching = await attachTo(live.whereOf({ cwd }));
      return (await attaching.plan(id, wish, { mayAsk: false, session: ownSessionId })).report;
    },
    // Those who play the recording have no hooks in it.
    ...known({
      hooks,
      asks: desk,
      proof,
      search,
      openFiles: openFilesLimit(),
      guard: isDemo ? undefined : serveGuard(folder, where, live),
    }),
  });
  let end: (how: 'stopped' | 'replaced') => void = () => {};
  const told = new Promise<'stopped' | 'replaced'>((resolve) => {
    end = resolve;
  });
  // Before anybody can find it: who is told to end at once leaves nothing behind, either.
  onEndSignal(() => end('stopped'));
  try {
    const port = await listen(server, request.port ?? (await readOwnSettings()).server?.port, last);
    const own = await describeOwn({
      port,
      token,
      keys: channelKeys,
      epoch,
      version: packageVersion,
      startedAt: new Date(startedAt).toISOString(),
      places: dataFoldersFor(where).map(({ root }) => root),
    });
    const claim = isAlone
      ? undefined
      : await claimDaemon(folder, own, { onLost: () => end('replaced'), onError: reportTrouble });
    if (claim?.role === 'found') {
      await server.close();
      live.close();
      return foundServer(claim.daemon);
    }
    if (claim) await keepAddress({ port });
    if (claim && request.openCache) indexing.start();
    const looking = proof && setInterval(() => void proof.look().catch(reportTrouble), LOOK_MS).unref();
    const needsProof = createProofCheck(folder);
    const heard = asking && followHostApprovals(dataFoldersFor(where), { folder, asking, turns, needsProof });
    const leaveHooks = claim && (await keepHookAddress(folder, { ...keys, port, onError: reportTrouble }));
    const ended = told.then(async (how) => {
      clearInterval(looking);
      indexing.close();
      search?.close();
      await leaveHooks?.();
      heard?.close();
      desk?.close();
      await claim?.release();
      await server.close();
      live.close();
      return how;
    });
    const login = async (): Promise<string | undefined> =>
      (await findAgentAbove(process.pid)) ? undefined : loginUrl(port, logins.createLink());
    return { server: toServer(own), isFound: false, isAlone, login, ended };
  } catch (error) {
    await server.close();
    live.close();
    throw error;
  }
}

/** How often the files behind approvals are looked at. */
const LOOK_MS = 3_000;

function createProof(
  folder: string,
  last: string | undefined,
  alarms: Set<string>,
  keepAddress: (change: Partial<Address>) => Promise<void>,
) {
  const note = (words: string): void => void process.stderr.write(`troupe: ${words}\n`);
  let shown: string | undefined;
  const proof = new ApprovalProof({
    ...{ folder, clock: systemClock, known: last, note },
    onKnown: (approvalKey) => void keepAddress({ approvalKey }),
    onAlarm(alarm) {
      if (shown !== undefined) alarms.delete(shown);
      shown = alarm;
      if (alarm === undefined) return note('the passphrase for approvals is as it was before');
      alarms.add(alarm);
      note(`ALARM: ${alarm}`);
    },
  });
  return Object.assign(proof, { isRemote, alarms: () => [...alarms] });
}

/** Whether agents must not approve in the project of a folder. */
function createProofCheck(folder: string): (project: string) => Promise<boolean> {
  const { env, home } = thisMachine();
  const policyFor = createPolicyCache(systemClock);
  const where = { home, configFolder: configFolder(env, home), stateFolder: folder };
  return async (project) => isHandsOff(await policyFor({ ...where, folder: project }));
}

/** Of the person's own policy, and of the projects in which somebody works. */
async function reportBudgets(folder: string, live: Followed, judge: BudgetJudge): Promise<readonly BudgetReport[]> {
  const { env, home } = thisMachine();
  const where = { home, configFolder: configFolder(env, home), stateFolder: folder };
  const folders = new Set([home, ...live.trees.current().flatMap(({ cwd }) => cwd ?? [])]);
  const policies = await Promise.all([...folders].map((one) => reportedPolicies({ ...where, folder: one })));
  return judge.report(policies.map(limitsIn), systemClock());
}

const reportedPolicies = createPolicyCache(systemClock);

/** Sessions that are not followed come from the index. */
function serveCost(where: SessionScope, openCache: OpenCache | undefined): ServedCost {
  const sessions = createSessions(dataFoldersFor(where), { clock: systemClock, ...known({ openCache }) });
  return async (asked) => {
    const { cost } = await readOwnSettings();
    const { trees } = await sessions.list({ limit: Number.MAX_SAFE_INTEGER, ...known({ since: asked.since }) });
    return computeSpend(trees, { ...asked, now: systemClock(), subscriptions: cost?.subscriptions ?? [] });
  };
}

function serveGuard(folder: string, where: SessionScope, { settled, held }: Followed): ServedGuard {
  const { env, home } = thisMachine();
  const policyIn = createPolicyReader({ home, configFolder: configFolder(env, home), stateFolder: folder });
  const treeOf = async (session: string) => (await held(session))?.tree;
  const log = createGuardLog(where, { ...known({ drain: settled }), held });
  return createServedGuard(log, { folder, home, policyIn, treeOf });
}

/** What hinders following, when it begins; `/api/status` has it as it stands. */
function reportNotices(live: Live): void {
  let isHindered = false;
  live.subscribe(({ type, data }) => {
    if (type !== 'snapshot' && type !== 'listing') return;
    if (!isHindered) for (const notice of data.notices) process.stderr.write(`troupe: ${notice}\n`);
    isHindered = data.notices.length > 0;
  });
}

/** Where the person names no port: the one of the last server, so that pages and bookmarks find this one. */
async function listen(server: Server, wanted: number | undefined, last: Address | undefined): Promise<number> {
  if (wanted !== undefined || !last) return (await server.listen(wanted)).port;
  try {
    return (await server.listen(last.port)).port;
  } catch (error) {
    if (error instanceof UserError) return (await server.listen()).port;
    throw error;
  }
}

function runsElsewhere({ port, places = [] }: Daemon): UserError {
  return new UserError(
    'server-elsewhere',
    `A server runs already, on port ${port}, and looks in ${places.join(', ')}.`,
    'End it with troupe server stop, or serve beside it in the foreground: troupe --root DIR',
  );
}

/** A server that looks elsewhere (another --root, another data folder of a host) shows other people's sessions, as it were. */
function isFor({ places = [] }: Daemon, where: SessionScope): boolean {
  const wanted = new Set(dataFoldersFor(where).map(({ root }) => root));
  return wanted.size === new Set(places).size && places.every((place) => wanted.has(place));
}

function argumentsOf({ where, port }: Omit<ServeRequest, 'demoSpeed'>): readonly string[] {
  return [
    programFile,
    '--no-open',
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...where.roots.flatMap((root) => ['--root', root]),
    ...(where.host === undefined ? [] : ['--host', where.host]),
  ];
}

/** Before the next build, if sessions are missing; doubled as long as builds do not change how many. */
const BUILD_PAUSE_MS = { min: 1_000, max: 600_000 };

/**
 * Brings the index up to date in a process of its own: to read hundreds of sessions for the first time takes a while, and hooks must not
 * wait for it. At first, and whenever sessions are listed that it does not have.
 */
class IndexBuilds {
  readonly #where: readonly string[];
  #isOpen = false;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = BUILD_PAUSE_MS.min;
  #missing = 0;

  constructor({ roots, host }: SessionScope) {
    this.#where = [...roots.flatMap((root) => ['--root', root]), ...(host === undefined ? [] : ['--host', host])];
  }

  /** After a pause: the page and the first hooks need the processor more. */
  start(): void {
    this.#isOpen = true;
    this.#timer = setTimeout(() => this.#build(), BUILD_PAUSE_MS.min).unref();
  }

  /** How many sessions are missing. */
  note(sessions: number): void {
    if (sessions !== this.#missing) this.#pause = BUILD_PAUSE_MS.min;
    this.#missing = sessions;
    if (sessions === 0 || !this.#isOpen || this.#child || this.#timer) return;
    this.#timer = setTimeout(() => this.#build(), this.#pause).unref();
    this.#pause = Math.min(BUILD_PAUSE_MS.max, 2 * this.#pause);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#child?.kill();
  }

  #build(): void {
    this.#timer = undefined;
    const child = spawn(process.execPath, [programFile, 'index', 'build', ...this.#where], { stdio: 'ignore' });
    this.#child = child;
    const onEnd = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', onEnd);
    child.once('error', (error) => {
      onEnd();
      reportTrouble(error);
    });
    child.unref();
    // At the lowest priority, it gets nothing at all on a busy machine.
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    if (child.pid !== undefined) orElse(() => setPriority(child.pid ?? 0, PRIORITY_BELOW_NORMAL), undefined);
  }
}

function foundServer(daemon: Daemon): Serving {
  const login = (): Promise<string | undefined> =>
    requestLogin(daemon).then(
      (path) => loginUrl(daemon.port, path),
      () => undefined,
    );
  return { server: toServer(daemon), isFound: true, isAlone: false, login, ended: new Promise(() => {}) };
}

function loginUrl(port: number, path: string): string {
  return `http://127.0.0.1:${port}${path}`;
}

function toServer({ pid, port, version, startedAt, places = [] }: Daemon): RunningServer {
  return { pid, port, version, startedAt, places, url: `http://127.0.0.1:${port}/` };
}

/** The built page, read once. */
async function readPageFiles(): Promise<PageFiles> {
  const folder = path.join(packageFolder, 'dist', 'web');
  const files = new Map<string, PageFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[path.extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const place = path.join(entry.parentPath, entry.name);
    const address = `/${path.relative(folder, place).split(path.sep).join('/')}`;
    files.set(address === '/index.html' ? '/' : address, { bytes: new Uint8Array(await readRegular(place)), type });
  }
  return files;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the running server follows, else what this process follows itself: for UIs that only read, and answer approvals. */
export async function openFeed(where: SessionScope): Promise<ServedFeed> {
  const feed = await openServedFeed({
    connect: (onState) => createServerControl().feed(where, onState),
    follow: () => follow({ where }),
  });
  return withApprovals(feed, createApprovalControl());
}
