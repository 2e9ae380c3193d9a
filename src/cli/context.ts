import { drained } from '../audit/index.ts';
import type { Sessions } from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { demoFolder, packageVersion } from '../lib/package.ts';
import { beBrief } from '../lib/stay-small.ts';
import { createTerminal } from '../lib/terminal.ts';
import {
  createIdentifier,
  createSessions,
  createTranscripts,
  type KnownHost,
  placesOf,
  type Where,
} from '../sessions/index.ts';
import type { FaceContext } from './face.ts';

/** Loaded when needed: a hook that asks who is behind a call must not wait for a server. */
const control = async () => (await import('../server/index.ts')).createServerControl();

const policy = async () => (await import('../guard/index.ts')).createPolicyControl();

const questions = async () => (await import('../guard/index.ts')).createGuardQuestions();

const asks = async () => (await import('../server/index.ts')).createAskControl();

const hooks = async () => (await import('./hooks/hooks-control.ts')).createHooks();

export function createContext(): FaceContext {
  const sessions = (where: Where): Sessions => {
    beBrief();
    return drained(createSessions(placesOf(where), { clock: systemClock, named: where.roots.length > 0 }), where);
  };
  return {
    sessions,
    export: async (request) => (await import('../export/index.ts')).runExport(request),
    transcripts: (where) => createTranscripts(placesOf(where), systemClock),
    identifier: () => createIdentifier(ADAPTERS, systemClock),
    demo: () => createSessions(placesOf({ roots: [demoFolder] }), { clock: systemClock }),
    follow: async (request) => (await import('../server/index.ts')).follow(request),
    guardLog: async (where) => (await import('../audit/index.ts')).createGuardLog(where),
    server: {
      serve: async (request) => (await control()).serve(request),
      start: async (request) => (await control()).start(request),
      stop: async () => (await control()).stop(),
      status: async () => (await control()).status(),
      login: async () => (await control()).login(),
      feed: async (where, onState) => (await control()).feed(where, onState),
    },
    hooks: {
      planInstall: async (request) => (await hooks()).planInstall(request),
      planUninstall: async (request) => (await hooks()).planUninstall(request),
      status: async (request) => (await hooks()).status(request),
    },
    policy: {
      check: async (file) => (await policy()).check(file),
      presets: async () => (await policy()).presets(),
    },
    questions: {
      explain: async (call, policyFile) => (await questions()).explain(call, policyFile),
      explainPast: async (where, call, policyFile) => (await questions()).explainPast(where, call, policyFile),
      test: async (file, policyFile) => (await questions()).test(file, policyFile),
      suggest: async (where, session) => (await questions()).suggest(where, session),
    },
    asks: {
      list: async () => (await asks()).list(),
      answer: async (id, answer, by) => (await asks()).answer(id, answer, by),
    },
    watch: async (request) => (await import('../tui/index.ts')).watch(request, createTerminal()),
    stream: async (request) => (await import('../control/index.ts')).shadowInput(request),
    run: async (request) => {
      const { createCallBroker } = await import('../server/index.ts');
      return (await import('../control/index.ts')).runShadowed(request, createCallBroker);
    },
    telegram: {
      run: async (request) => (await import('../notify/index.ts')).runTelegramFace(request, createTerminal()),
      setup: async () => (await import('../notify/index.ts')).setUpTelegram(createTerminal()),
    },
    webhook: async (request) => (await import('../notify/index.ts')).runWebhookFace(request, createTerminal()),
    attach: async (where) => (await import('../control/index.ts')).attachTo(where),
    async *examine(where) {
      yield* (await import('./doctor/examine.ts')).examineMachine(where);
    },
    hosts: ADAPTERS.map(toKnownHost),
    version: packageVersion,
    clock: systemClock,
    terminal: createTerminal(),
  };
}

function toKnownHost({ host, title, stream, control }: SourceAdapter): KnownHost {
  return { host, title, ...known({ printing: stream?.printing }), ...(control && { isSteered: true }) };
}
