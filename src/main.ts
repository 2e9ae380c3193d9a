// Wires the rooms together. Rooms that only some commands use are loaded when one of those runs: a hook that calls
// `troupe identify` must not wait for the server to load.

import { type CliOptions, runCli } from './cli/index.ts';
import type { SearchControl } from './history/index.ts';
import { ADAPTERS } from './hosts/registry.ts';
import { systemClock } from './lib/clock.ts';
import { demoFolder, packageVersion } from './lib/package.ts';
import { stateFolder } from './lib/state-folder.ts';
import { createTerminal } from './lib/terminal.ts';
import { messageOf, UserError } from './lib/user-error.ts';
import {
  createIdentifier,
  createSessions,
  createTranscripts,
  dataFoldersFor,
  drainFirst,
  findAgentAbove,
  readOwnSettings,
  type SessionCache,
  type SessionHelper,
  type SessionScope,
  thisMachine,
  withOwnPrices,
} from './sessions/index.ts';

/** Set by the build: of all that reads sessions. */
declare const BUILD_ID: string;

const audit = () => import('./audit/index.ts');
const guard = () => import('./guard/index.ts');
const server = () => import('./server/index.ts');
const control = () => import('./control/index.ts');
const notify = () => import('./notify/index.ts');
const hooks = async () => (await import('./cli/hooks/machine-hooks.ts')).createHooks();

const terminal = createTerminal();

const historyOptions = () => ({ folder: stateFolder(thisMachine()), build: BUILD_ID, clock: systemClock });

/** A server reports trouble with its state folder itself; of the index, `troupe index status` does. */
let isServing = false;
let cache: Promise<SessionCache | undefined> | undefined;
const history = () => import('./history/index.ts');

let startThread: ((where: SessionScope) => SessionHelper | undefined) | undefined;

function openCache(): Promise<SessionCache | undefined> {
  const onProblem = (text: string): void => {
    if (!isServing) terminal.note(text);
  };
  cache ??= history().then(({ openHistory, startIndexThread }) => {
    startThread = (where) => startIndexThread(historyOptions(), where);
    return openHistory({ ...historyOptions(), onProblem });
  });
  return cache;
}

const historyControl = async () => (await history()).createHistoryControl(historyOptions(), await text());

let searching: Promise<SearchControl> | undefined;

function text(): Promise<SearchControl> {
  searching ??= history().then(({ createSearch }) =>
    createSearch({
      folder: stateFolder(thisMachine()),
      clock: systemClock,
      openCache,
      async createRedact() {
        const redactor = await (await import('./export/index.ts')).createUserRedactor(false);
        return (value) => {
          redactor.scan(value);
          return redactor.redactText(value);
        };
      },
    }),
  );
  return searching;
}

/** What conversations hold is copied only if a person wants it. */
async function textForPerson(): Promise<SearchControl> {
  await assertNoAgent();
  return text();
}

async function assertNoAgent(): Promise<void> {
  const agent = await findAgentAbove(process.pid);
  if (agent === undefined) return;
  const remedy = 'Use a terminal that no coding agent started.';
  throw new UserError('from-agent', `Only a person can do this: ${agent}.`, remedy);
}

const options: CliOptions = {
  reader: {
    sessions(where) {
      const sessions = createSessions(dataFoldersFor(where), {
        clock: systemClock,
        named: where.roots.length > 0,
        openCache,
        startHelper: () => startThread?.(where),
      });
      return withOwnPrices(drainFirst(sessions, async () => (await audit()).createGuardLog(where).drain()));
    },
    transcripts: (where) => createTranscripts(dataFoldersFor(where), systemClock, openCache),
    costSettings: async () => ({ subscriptions: (await readOwnSettings()).cost?.subscriptions ?? [] }),
    demo: () => createSessions(dataFoldersFor({ roots: [demoFolder] }), { clock: systemClock }),
  },
  history: {
    ...lazily(historyControl, ['status', 'build', 'rebuild', 'off', 'on']),
    async prune(request, confirm, onProgress) {
      if (confirm) await assertNoAgent();
      return (await historyControl()).prune(request, confirm, onProgress);
    },
  },
  text: {
    ...lazily(text, ['search', 'status', 'build', 'removeGone', 'close']),
    allow: async (exclude) => (await textForPerson()).allow(exclude),
    forbid: async () => (await textForPerson()).forbid(),
    drop: async () => (await textForPerson()).drop(),
    isAgent: async () => (await findAgentAbove(process.pid)) !== undefined,
  },
  identifier: { identify: (request) => createIdentifier(ADAPTERS, systemClock).identify(request) },
  audit: {
    open: async (where) => (await audit()).createGuardLog(where, { openCache }),
    drain: async () => (await audit()).createGuardLog({ roots: [] }).drain(),
  },
  exporter: {
    export: async (request) => (await import('./export/index.ts')).runExport({ ...request, build: BUILD_ID }),
  },
  reviewer: {
    async review(found) {
      const { reviewInTerminal } = await import('./tui/index.ts');
      return reviewInTerminal({ review: found, colours: terminal.colours, cannotKeep: await whyNotKept(found) });
    },
  },
  decisions: {
    list: async () => (await import('./export/index.ts')).listDecisions(),
    async forget(ids) {
      await (await server()).createServerControl().passphrase.assertPerson();
      return (await import('./export/index.ts')).forgetDecisions(ids);
    },
  },
  redactor: {
    redact: async (request) => (await import('./export/index.ts')).redactInput({ ...request, input: process.stdin }),
  },
  policy: lazily(async () => (await guard()).createPolicyControl(), ['check', 'presets']),
  questions: lazily(async () => (await guard()).createGuardQueries(), ['explain', 'explainPast', 'test', 'suggest']),
  budgets: lazily(async () => (await guard()).createBudgetControl(openCache), ['report', 'raise', 'judge']),
  server: {
    ...lazily(async () => {
      isServing = true;
      return (await server()).createServerControl({ openCache });
    }, ['serve', 'start', 'stop', 'status', 'login']),
    passphrase: lazily(
      async () => (await server()).createServerControl().passphrase,
      ['status', 'set', 'unpair', 'assertPerson'],
    ),
  },
  approvals: lazily(async () => (await server()).createApprovalControl(), ['list', 'answer', 'unlock']),
  streams: { record: async (request) => (await control()).shadowInput(request) },
  programs: {
    async run(request) {
      const { createCallBroker } = await server();
      return (await control()).runShadowed(request, createCallBroker);
    },
  },
  agents: { open: async (where) => (await control()).attachTo(where) },
  notifier: {
    telegram: {
      run: async (request) => (await notify()).runTelegramBot(request, terminal),
      setup: async () => (await notify()).setUpTelegram(terminal),
    },
    webhook: async (request) => (await notify()).runWebhook(request, terminal),
  },
  mcp: {
    serve: async () =>
      (await import('./mcp/index.ts')).serveMcp(() => {
        const where = { roots: [] };
        return {
          version: packageVersion,
          clock: systemClock,
          hosts: ADAPTERS.map(({ host }) => host),
          sessions: options.reader.sessions(where),
          transcripts: options.reader.transcripts(where),
          search: async (request) => (await text()).search(request),
          audit: async (filter, limit) => (await options.audit.open(where)).read(filter, limit),
          budgets: (folder) => options.budgets.report(where, folder),
          policy: async (folder) => (await guard()).readMcpPolicy(folder),
          createRedactor: async () => (await import('./export/index.ts')).createUserRedactor(false),
          agents: async () => (await control()).attachTo(where),
        };
      }),
  },
  live: { watch: async (request) => (await import('./tui/index.ts')).watch(request, terminal) },
  hooks: lazily(hooks, ['status', 'planInstall', 'planStatusLine', 'planUninstall']),
  doctor: {
    async *examine(where) {
      yield* (await import('./cli/doctor/examine.ts')).examineMachine(where);
    },
  },
  hosts: ADAPTERS,
  version: packageVersion,
  clock: systemClock,
  terminal,
};

/** Agents may not keep decisions: they would let secrets leave with every later export. */
async function whyNotKept({
  projects,
  problem,
}: Parameters<CliOptions['reviewer']['review']>[0]): Promise<string | null> {
  if (problem !== null) return problem;
  if (projects.length === 0) return 'Decisions cannot be kept: this session names no project.';
  try {
    await (await server()).createServerControl().passphrase.assertPerson();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Methods of an object that is created, and its room loaded, when one of them is called. */
function lazily<T, Name extends keyof T>(create: () => Promise<T>, names: readonly Name[]): Pick<T, Name> {
  type Method = (...args: unknown[]) => unknown;
  const call =
    (name: Name): Method =>
    async (...args) =>
      ((await create())[name] as Method)(...args);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<T, Name>;
}

/** `troupe ls | head` closes the pipe early, which is not an error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`troupe: the output could not be written: ${error.message}\n`);
  process.exit(1);
});

/** A log on a full disk must not stop the server. */
process.stderr.on('error', () => {});

await runCli(process.argv.slice(2), options, process);
