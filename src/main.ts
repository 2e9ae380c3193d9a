// Wires the rooms together, one function per room. Rooms that only some commands use are loaded when one of those runs: a hook
// that calls `troupe identify` must not wait for the server to load.

import { drained } from './audit/index.ts';
import { type CliOptions, runCli, type Services } from './cli/index.ts';
import type { SourceAdapter } from './hosts/index.ts';
import { ADAPTERS } from './hosts/registry.ts';
import { systemClock } from './lib/clock.ts';
import { known } from './lib/json.ts';
import { demoFolder, packageVersion } from './lib/package.ts';
import { beBrief } from './lib/stay-small.ts';
import { createTerminal } from './lib/terminal.ts';
import { createIdentifier, createSessions, createTranscripts, type KnownHost, placesOf } from './sessions/index.ts';

const terminal = createTerminal();

function wireSessions(): Pick<Services, 'reader' | 'identifier'> {
  return {
    reader: {
      sessions(where) {
        beBrief();
        return drained(createSessions(placesOf(where), { clock: systemClock, named: where.roots.length > 0 }), where);
      },
      transcripts: (where) => createTranscripts(placesOf(where), systemClock),
      demo: () => createSessions(placesOf({ roots: [demoFolder] }), { clock: systemClock }),
    },
    identifier: createIdentifier(ADAPTERS, systemClock),
  };
}

function wireAudit(): Pick<Services, 'audit'> {
  return { audit: { open: async (where) => (await import('./audit/index.ts')).createGuardLog(where) } };
}

function wireExport(): Pick<Services, 'exporter'> {
  return { exporter: { export: async (request) => (await import('./export/index.ts')).runExport(request) } };
}

function wireGuard(): Pick<Services, 'policy' | 'questions'> {
  const policy = async () => (await import('./guard/index.ts')).createPolicyControl();
  const questions = async () => (await import('./guard/index.ts')).createGuardQuestions();
  return {
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
  };
}

function wireServer(): Pick<Services, 'server' | 'approvals'> {
  const server = async () => (await import('./server/index.ts')).createServerControl();
  const approvals = async () => (await import('./server/index.ts')).createAskControl();
  return {
    server: {
      serve: async (request) => (await server()).serve(request),
      start: async (request) => (await server()).start(request),
      stop: async () => (await server()).stop(),
      status: async () => (await server()).status(),
      login: async () => (await server()).login(),
    },
    approvals: {
      list: async () => (await approvals()).list(),
      answer: async (id, answer, by) => (await approvals()).answer(id, answer, by),
    },
  };
}

function wireControl(): Pick<Services, 'streams' | 'programs' | 'agents'> {
  const control = () => import('./control/index.ts');
  return {
    streams: { read: async (request) => (await control()).shadowInput(request) },
    programs: {
      async run(request) {
        const { createCallBroker } = await import('./server/index.ts');
        return (await control()).runShadowed(request, createCallBroker);
      },
    },
    agents: { open: async (where) => (await control()).attachTo(where) },
  };
}

function wireNotify(): Pick<Services, 'notifier'> {
  const notify = () => import('./notify/index.ts');
  return {
    notifier: {
      telegram: {
        run: async (request) => (await notify()).runTelegramFace(request, terminal),
        setup: async () => (await notify()).setUpTelegram(terminal),
      },
      webhook: async (request) => (await notify()).runWebhookFace(request, terminal),
    },
  };
}

function wireTui(): Pick<Services, 'viewer'> {
  return { viewer: { watch: async (request) => (await import('./tui/index.ts')).watch(request, terminal) } };
}

function wireCli(): Pick<Services, 'hooks' | 'doctor'> {
  const hooks = async () => (await import('./cli/hooks/machine-hooks.ts')).createHooks();
  return {
    hooks: {
      status: async (request) => (await hooks()).status(request),
      planInstall: async (request) => (await hooks()).planInstall(request),
      planUninstall: async (request) => (await hooks()).planUninstall(request),
    },
    doctor: {
      async *examine(where) {
        yield* (await import('./cli/doctor/examine.ts')).examineMachine(where);
      },
    },
  };
}

function toKnownHost({ host, title, stream, control }: SourceAdapter): KnownHost {
  return { host, title, ...known({ printing: stream?.printing }), ...(control && { isSteered: true }) };
}

/** A reader that has seen enough (`troupe ls | head`) closes the pipe: no reason to complain. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`troupe: the output could not be written: ${error.message}\n`);
  process.exit(1);
});

/** Nowhere to complain, such as a log on a full disk: no reason to stop serving. */
process.stderr.on('error', () => {});

const options: CliOptions = {
  ...wireSessions(),
  ...wireAudit(),
  ...wireExport(),
  ...wireGuard(),
  ...wireServer(),
  ...wireControl(),
  ...wireNotify(),
  ...wireTui(),
  ...wireCli(),
  hosts: ADAPTERS.map(toKnownHost),
  version: packageVersion,
  clock: systemClock,
  terminal,
};
await runCli(process.argv.slice(2), options, process);
