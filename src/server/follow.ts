import { type DrainLoop, startDraining } from '../audit/index.ts';
import type { BudgetAlert, LiveTrees, SessionId } from '../core/index.ts';
import { loadHosts } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { demoFolder } from '../lib/package.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { staySmall } from '../lib/stay-small.ts';
import {
  assertFolders,
  createLive,
  createSessionOpener,
  type DataFolder,
  dataFoldersFor,
  findSessions,
  joinLive,
  type KnownSession,
  type Live,
  type NameCaller,
  type OpenCache,
  type PlayedRecording,
  playRecording,
  readOwnSettings,
  type SessionScope,
  startTracker,
  thisMachine,
  trackerOptionsOf,
} from '../sessions/index.ts';
import { AlertedTrees } from './served-budgets.ts';

export interface Followed extends Live {
  /** As they stand, sessions that commands started in the tree of their agent. */
  readonly trees: LiveTrees;
  /** Shown with the session, and sent to people. */
  readonly noteBudgets: (session: SessionId, alerts: readonly BudgetAlert[]) => void;
  /** What hooks told until now is taken over. Not in the demo, which has none. */
  readonly settled?: () => Promise<void>;
  /** Who made a call that a hook tells of now. */
  readonly nameCaller?: NameCaller;
  /** Where another process finds a session. */
  readonly whereOf: (session: { readonly cwd: string | null }) => SessionScope;
  /** A session by its whole id, with the facts behind its tree. One of the older ones is read, and followed from then on. */
  readonly held: (session: string) => Promise<KnownSession | undefined>;
}

/** What changes on this machine, or in the demo, from now on. */
export async function follow({
  where,
  demoSpeed,
  demoUntilFirst,
  openCache,
  onUnread,
}: FollowRequest): Promise<Followed> {
  staySmall();
  await loadHosts();
  const config = await readOwnSettings();
  const isDemo = demoSpeed !== undefined;
  const demo = isDemo || (await demoUntilFirst?.()) ? await playDemo(demoSpeed ?? 1) : undefined;
  const demoPlaces = demo ? dataFoldersFor({ roots: [demo.root] }) : [];
  const places = isDemo ? demoPlaces : [...dataFoldersFor(where), ...demoPlaces];
  if (where.roots.length > 0) await assertFolders(dataFoldersFor(where));
  const trees = startTracker(places, {
    clock: systemClock,
    onError: reportTrouble,
    ...trackerOptionsOf(config),
    ...known({ openCache, onUnread }),
  });
  const joined = joinLive(trees, reportTrouble);
  const alerted = new AlertedTrees(joined, reportTrouble);
  const live = createLive(alerted, reportTrouble);
  if (demo && !isDemo) endWithFirstSession(live, demo);
  const draining = isDemo ? undefined : drainInto(trees, dataFoldersFor(where), config.audit?.keepDays);
  return {
    ...live,
    trees: joined,
    noteBudgets: (session, alerts) => alerted.note(session, alerts),
    held: (session) => heldIn(trees, session),
    whereOf: ({ cwd }) => (demo && (isDemo || cwd === DEMO_CWD) ? { roots: [demo.root] } : where),
    ...(draining && { settled: () => draining.settled(), nameCaller: draining.nameCaller }),
    close() {
      draining?.close();
      live.close();
      void demo?.close();
    },
  };
}

async function heldIn(trees: LiveTrees, session: string): Promise<KnownSession | undefined> {
  const tree = await trees.look(session);
  const ledger = tree && trees.ledgerOf(tree.id);
  return ledger && { tree, ledger };
}

function drainInto(trees: LiveTrees, places: readonly DataFolder[], keepDays: number | undefined): DrainLoop {
  const folder = stateFolder(thisMachine());
  const openOther = createSessionOpener(places, systemClock);
  return startDraining({
    folder,
    trees,
    openOther,
    clock: systemClock,
    onError: reportTrouble,
    // Hooks do not care where we were told to look: sessions of the usual places count, too.
    ages: () => sessionAges([...places, ...dataFoldersFor({ roots: [] })]),
    ...known({ keepDays }),
  });
}

async function sessionAges(places: readonly DataFolder[]): Promise<ReadonlyMap<SessionId, number>> {
  const { sessions } = await findSessions(places);
  return new Map(sessions.map(({ located }) => [located.id, located.modifiedAt]));
}

/** The recording makes way as soon as there is something real to see. */
function endWithFirstSession(live: Live, demo: PlayedRecording): void {
  const subscription = live.subscribe(({ type }) => {
    if (type === 'snapshot') return;
    // One that has only begun may not say yet where.
    const isReal = live.snapshot().sessions.some(({ cwd }) => cwd !== null && cwd !== DEMO_CWD);
    if (!isReal) return;
    subscription.close();
    void demo.close();
  });
}

/** Where the recorded session took place: no real one has it. */
const DEMO_CWD = '/home/dev/shop-api';

async function playDemo(speed: number) {
  const [place] = dataFoldersFor({ roots: [demoFolder] });
  if (!place) throw new Error('troupe: no adapter for the demo');
  return playRecording(place.adapter, demoFolder, { speed, clock: systemClock, repeat: true });
}

export interface FollowRequest {
  readonly where: SessionScope;
  /** Plays the recording that ships with troupe instead, so many times as fast as it was. */
  readonly demoSpeed?: number;
  /** What was read of sessions before. */
  readonly openCache?: OpenCache;
  /** How many sessions that are not followed are missing in it. */
  readonly onUnread?: (sessions: number) => void;
  /**
   * Whether to play it beside what is there, until the first session begins: for people who have none yet. Asked only
   * where we follow ourselves: the answer costs a look at everything.
   */
  readonly demoUntilFirst?: () => Promise<boolean>;
}
