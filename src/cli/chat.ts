import { buildCommand, buildRouteMap } from '@stricli/core';
import type { CliContext } from './context.ts';
import { helpText, type SharedFlags, sharedFlags, whereOf } from './flags.ts';

type WhereFlags = Pick<SharedFlags, 'root' | 'host'>;
const flags = { root: sharedFlags.root, host: sharedFlags.host } as const;

const runCommand = buildCommand({
  func: async function (this: CliContext<'notifier'>, given: WhereFlags): Promise<void> {
    await this.notifier.telegram.run({ where: whereOf(given) });
  },
  parameters: { flags },
  docs: helpText(
    'Tell your Telegram chat who is doing what, until Ctrl-C',
    ['troupe telegram setup', 'troupe telegram'],
    'One message for each session that is always true, a line for each sub-agent that is asked for and what came of it, and',
    'questions of the guard with buttons. Uses the running server, or follows by itself. Needs troupe telegram setup once.',
  ),
});

const setupCommand = buildCommand({
  func: async function (this: CliContext<'notifier'>): Promise<void> {
    await this.notifier.telegram.setup();
  },
  parameters: {},
  docs: {
    brief: 'Find your bot and your chat, step by step',
    fullDescription: [
      'Takes the token from TROUPE_TELEGRAM_TOKEN, from the file that an earlier run left, or asks for it: never from the',
      'command line, where everybody on the machine could read it. Then it shows a code; the chat that sends it to the bot is',
      'the one that will be told.',
      '',
      'Example:',
      '  troupe telegram setup',
    ].join('\n'),
  },
});

export const telegramRoutes = buildRouteMap({
  routes: { run: runCommand, setup: setupCommand },
  defaultCommand: 'run',
  docs: { brief: 'Who is doing what, in your Telegram chat' },
});

export const webhookCommand = buildCommand({
  func: async function (this: CliContext<'notifier'>, given: WhereFlags): Promise<void> {
    await this.notifier.webhook({ where: whereOf(given) });
  },
  parameters: { flags },
  docs: {
    brief: 'Send what happens to an address of yours, signed, until Ctrl-C',
    fullDescription: [
      'The same lines as in a chat, as JSON, in order, each until it was taken (docs/WEBHOOK.md). The address stands in',
      'config.json, the secret in TROUPE_WEBHOOK_SECRET or in the file webhook-secret beside it.',
      '',
      'Example:',
      '  troupe webhook',
    ].join('\n'),
  },
});
