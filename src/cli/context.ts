import { drained } from '../audit/drained.ts';
import type { Sessions } from '../core/ports.ts';
import type { SourceAdapter } from '../hosts/adapter.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { demoFolder, packageVersion } from '../lib/package.ts';
import { beBrief } from '../lib/stay-small.ts';
import { createTerminal } from '../lib/terminal.ts';
import { type KnownHost, placesOf, type Where } from '../sessions/given-places.ts';
import { createIdentifier } from '../sessions/identify.ts';
import { createSessions } from '../sessions/sessions.ts';
import { createTranscripts } from '../sessions/transcripts.ts';
import type { FaceContext } from './face.ts';

/** Loaded when needed: a hook that asks who is behind a call must not wait for a server. */
const control = async () => (await import('../server/serve.ts')).createServerControl();

const policy = async () => (await import('../guard/policy-control.ts')).createPolicyControl();

const questions = async () => (await import('../guard/guard-questions.ts')).createGuardQuestions();

const asks = async () => (await import('../server/approval-control.ts')).createAskControl();

const hooks = async () => (await import('./hooks/hooks-control.ts')).createHooks();

export function createContext(): FaceContext {
  const sessions = (where: Where): Sessions => {
    beBrief();
    return drained(createSessions(placesOf(where), { clock: systemClock, named: where.roots.length > 0 }), where);
  };
  return {
    sessions,
    export: async (request) => (await import('../export/run-export.ts')).runExport(request),
    transcripts: (where) => createTranscripts(placesOf(where), systemClock),
    identifier: () => createIdentifier(ADAPTERS, systemClock),
    demo: () => createSessions(placesOf({ roots: [demoFolder] }), { clock: systemClock }),
    follow: async (request) => (await import('../server/follow.ts')).follow(request),
    guardLog: async (where) => (await import('../audit/guard-log.ts')).createGuardLog(where),
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
    watch: async (request) => (await import('../tui/run-watch.ts')).watch(request, createTerminal()),
    stream: async (request) => (await import('../control/shadow-input.ts')).shadowInput(request),
    run: async (request) => {
      const { createCallBroker } = await import('../server/call-broker.ts');
      return (await import('../control/run.ts')).runShadowed(request, createCallBroker);
    },
    telegram: {
      run: async (request) =>
        (await import('../notify/telegram/run-face.ts')).runTelegramFace(request, createTerminal()),
      setup: async () => (await import('../notify/telegram/set-up.ts')).setUpTelegram(createTerminal()),
    },
    webhook: async (request) =>
      (await import('../notify/webhook/run-face.ts')).runWebhookFace(request, createTerminal()),
    attach: async (where) => (await import('../control/attach.ts')).attachTo(where),
    async *examine(where) {
      yield* (await import('./doctor/examine-machine.ts')).examineMachine(where);
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
