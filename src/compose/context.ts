import type { SourceAdapter } from '../adapters/adapter.ts';
import { ADAPTERS } from '../adapters/registry.ts';
import { systemClock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import type { FaceContext, KnownHost, Where } from '../faces/face.ts';
import type { Sessions } from '../model/ports.ts';
import { createIdentifier } from '../tracker/identify.ts';
import { type AuthorOf, createSessionTranscripts } from '../tracker/session-transcripts.ts';
import { createSessions } from '../tracker/sessions.ts';
import { createTranscripts } from '../tracker/transcripts.ts';
import { drained } from './drained.ts';
import { demoFolder, packageVersion } from './package.ts';
import { placesOf } from './places.ts';
import { beBrief } from './stay-small.ts';
import { createTerminal } from './terminal.ts';

/** Loaded when needed: a hook that asks who is behind a call must not wait for a server. */
const control = async () => (await import('./serve.ts')).createServerControl();

const policy = async () => (await import('./policy.ts')).createPolicyControl();

const questions = async () => (await import('./guard-questions.ts')).createGuardQuestions();

const asks = async () => (await import('./asks.ts')).createAskControl();

const hooks = async () => (await import('./hooks.ts')).createHooks();

export function createContext(): FaceContext {
  const sessions = (where: Where): Sessions => {
    beBrief();
    return drained(createSessions(placesOf(where), { clock: systemClock, named: where.roots.length > 0 }), where);
  };
  let authors: Promise<AuthorOf> | undefined;
  const authorOf: AuthorOf = async (folder) => {
    authors ??= import('../io/git-author.ts').then(({ createGitAuthors }) => createGitAuthors());
    return (await authors)(folder);
  };
  return {
    sessions,
    export: async (request) =>
      (await import('./export.ts')).runExport(request, {
        sessions,
        sessionTranscripts: (where) => createSessionTranscripts(placesOf(where), sessions(where), authorOf),
      }),
    transcripts: (where) => createTranscripts(placesOf(where), systemClock),
    identifier: () => createIdentifier(ADAPTERS, systemClock),
    demo: () => createSessions(placesOf({ roots: [demoFolder] }), { clock: systemClock }),
    follow: async (request) => (await import('./follow.ts')).follow(request),
    guardLog: async (where) => (await import('./guard.ts')).createGuardLog(where),
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
    watch: async (request) => (await import('./watch.ts')).watch(request, createTerminal()),
    stream: async (request) => (await import('./stream.ts')).shadowInput(request),
    run: async (request) => (await import('./run.ts')).runShadowed(request),
    telegram: {
      run: async (request) => (await import('./telegram.ts')).runTelegramFace(request, createTerminal()),
      setup: async () => (await import('./telegram-setup.ts')).setUpTelegram(createTerminal()),
    },
    webhook: async (request) => (await import('./webhook.ts')).runWebhookFace(request, createTerminal()),
    attach: async (where) => (await import('./attach.ts')).attachTo(where),
    async *examine(where) {
      yield* (await import('./doctor.ts')).examineMachine(where);
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
