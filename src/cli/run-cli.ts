import { buildApplication, buildRouteMap, type CommandContext, run, text_en } from '@stricli/core';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { KnownHost } from '../sessions/index.ts';
import { attachCommand, sendCommand } from './attach.ts';
import { budgetRoutes } from './budget.ts';
import { telegramRoutes, webhookCommand } from './chat.ts';
import type { CliContext, Services } from './context.ts';
import { doctorCommand } from './doctor.ts';
import { guardRoutes } from './guard-commands.ts';
import { indexRoutes, pruneCommand } from './history.ts';
import { hooksRoutes } from './hooks.ts';
import { redactCommand } from './redact.ts';
import {
  openCommand,
  serveCommand,
  serverRoutes,
  startCommand,
  statusCommand,
  stopCommand,
  watchCommand,
} from './server.ts';
import {
  costCommand,
  exportCommand,
  identifyCommand,
  lsCommand,
  mcpCommand,
  runCommandFor,
  searchCommand,
  showCommand,
  statuslineCommand,
  streamCommandFor,
  treeCommand,
  withCommandApart,
} from './session-commands.ts';

/** What main.ts hands in. */
export interface CliOptions extends Services, Pick<CliContext, 'terminal' | 'clock' | 'version'> {
  /** The hosts that troupe reads. */
  readonly hosts: readonly KnownHost[];
}

type CliProcess = CommandContext['process'] & { exitCode?: number | string | null | undefined };

export const routesWith = (hosts: readonly KnownHost[]) =>
  ({
    serve: serveCommand,
    watch: watchCommand,
    run: runCommandFor(hosts),
    stream: streamCommandFor(hosts),
    server: serverRoutes,
    open: openCommand,
    ls: lsCommand,
    tree: treeCommand,
    show: showCommand,
    attach: attachCommand,
    send: sendCommand,
    stop: stopCommand,
    export: exportCommand,
    redact: redactCommand,
    identify: identifyCommand,
    search: searchCommand,
    cost: costCommand,
    budget: budgetRoutes,
    statusline: statuslineCommand,
    mcp: mcpCommand,
    index: indexRoutes,
    prune: pruneCommand,
    hooks: hooksRoutes,
    guard: guardRoutes,
    telegram: telegramRoutes,
    webhook: webhookCommand,
    doctor: doctorCommand,
    start: startCommand,
    status: statusCommand,
  }) as const;

function docsFor(hosts: readonly KnownHost[]) {
  const list = hosts.map(({ host, title }) => `${title} (${host})`).join(', ');
  return {
    brief: 'See the sub-agents of your coding agents',
    fullDescription: [
      'troupe reads what coding agents leave behind and keeps one exact tree of agents from it. It changes nothing but what',
      'troupe hooks shows you before, and sends nothing anywhere but to the chat or the address that you name to',
      'troupe telegram and troupe webhook. Without a command it serves the live page.',
      '',
      `Hosts: ${list}.`,
    ].join('\n'),
    // Old names, which work until 0.3.
    hideRoute: { start: true, status: true },
  };
}

/** The default command takes flags only: a word in front is meant to be a command, and may be a slip of the finger. */
function routesFor([first = '-']: readonly string[], hosts: readonly KnownHost[]) {
  const map = { routes: routesWith(hosts), docs: docsFor(hosts) };
  return buildRouteMap<string, CliContext<keyof Services>>(
    first.startsWith('-') ? { ...map, defaultCommand: 'serve' } : map,
  );
}

/** Runs one command. Sets the exit code; the one place that turns a `UserError` into words. */
export async function runCli(args: readonly string[], given: CliOptions, process: CliProcess): Promise<void> {
  const { hosts, ...context } = given;
  const application = buildApplication(routesFor(args, hosts), {
    name: 'troupe',
    versionInfo: { currentVersion: context.version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { useAliasInUsageLine: true, caseStyle: 'convert-camel-to-kebab' },
    determineExitCode: (error) => (error instanceof UserError || isSystemError(error) ? 2 : 1),
    localization: {
      text: {
        ...text_en,
        exceptionWhileRunningCommand: (error) => explain(error),
        noCommandRegisteredForInput: ({ input, corrections }) => noCommand(input, corrections),
      },
    },
  });
  let isChosen = false;
  const endWith = (code: number): void => {
    isChosen = true;
    process.exitCode = code;
  };
  await run(application, withCommandApart(args), { ...context, process, endWith } as CliContext<keyof Services>);
  // Words that we do not understand are the person's to mend, like every other 2.
  if (!isChosen && typeof process.exitCode === 'number' && ![0, 1, 2].includes(process.exitCode)) process.exitCode = 2;
}

function noCommand(input: string, corrections: readonly string[]): string {
  const guess = corrections.length > 0 ? `; did you mean ${corrections.join(' or ')}?` : '.';
  return `troupe: No command \`${input}\`${guess}\nSee them with: troupe --help`;
}

function explain(error: unknown): string {
  if (error instanceof UserError) return `troupe: ${error.message}\n${error.remedy}`;
  if (isSystemError(error)) return `troupe: the system said no: ${error.message}\nMend that, and try again.`;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `troupe: this is a bug of troupe, please report it.\n${stack}`;
}
