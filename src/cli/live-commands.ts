import { buildCommand } from '@stricli/core';
import { optionalArgument, sharedFlags, toPort, toSpeed } from './flags.ts';

const port = {
  kind: 'parsed',
  parse: toPort,
  optional: true,
  placeholder: 'N',
  brief: 'The port to serve on; a free one if left out',
} as const;

const demoFlags = {
  demo: { kind: 'boolean', default: false, brief: 'Play the recording that ships with troupe' },
  speed: { kind: 'parsed', parse: toSpeed, default: '1', placeholder: 'X', brief: 'How fast to play it' },
} as const;

export const serveCommand = buildCommand({
  loader: async () => (await import('./serve.ts')).serve,
  parameters: {
    flags: {
      ...sharedFlags,
      port,
      open: { kind: 'boolean', default: true, brief: 'Open the page in the browser' },
      ...demoFlags,
      orDemo: {
        kind: 'boolean',
        default: false,
        brief: 'Where there is no session, play the recording that ships with troupe until one begins',
      },
    },
  },
  docs: {
    brief: 'Serve the live page on this machine until Ctrl-C',
    fullDescription: [
      'Follows every session of this machine and serves it on 127.0.0.1. Opens the page in your browser; in a terminal it also',
      'prints a login link, which works once and for one minute.',
      'Where a server runs already, it is shown instead of a second one. With --root where that one looks elsewhere, and',
      'with --demo, a server of its own runs beside it. Where you have no session yet, the demo plays until one begins.',
      '',
      'Examples:',
      '  troupe',
      '  troupe --port 4711 --no-open',
      '  troupe --demo --speed 4',
    ].join('\n'),
  },
});

export const startCommand = buildCommand({
  loader: async () => (await import('./serve.ts')).start,
  parameters: { flags: { ...sharedFlags, port } },
  docs: {
    brief: 'Start the server in the background',
    fullDescription: [
      'Starts a server that keeps running when the terminal is closed, or finds the one that runs. Open its page with troupe open.',
      '',
      'Examples:',
      '  troupe start',
      '  troupe start --port 4711 --json',
    ].join('\n'),
  },
});

export const stopCommand = buildCommand({
  loader: async () => (await import('./serve.ts')).stop,
  parameters: {
    flags: { json: sharedFlags.json, root: sharedFlags.root },
    positional: optionalArgument('AGENT', 'The agent to stop, by the first characters of its id; default: the server'),
  },
  docs: {
    brief: 'End the server; with an agent, stop that agent',
    fullDescription: [
      'Ends the server, however it was started. One that does not answer is told to end, and killed where it does not.',
      'With an agent, stops that one where it is of a run of `troupe run`, or its host has a way; otherwise says why not, and ends',
      'with code 1.',
      '',
      'Examples:',
      '  troupe stop',
      '  troupe stop ses_49c7c5e7',
    ].join('\n'),
  },
});

export const statusCommand = buildCommand({
  loader: async () => (await import('./serve.ts')).status,
  parameters: { flags: { json: sharedFlags.json } },
  docs: {
    brief: 'Say whether the server runs, and where',
    fullDescription: [
      'Prints port, process, age and address of the running server. Exits with code 1 if none runs, or it does not answer.',
      '',
      'Examples:',
      '  troupe status',
      '  troupe status --json | jq -r .server.port',
    ].join('\n'),
  },
});

export const openCommand = buildCommand({
  loader: async () => (await import('./serve.ts')).open,
  parameters: {},
  docs: {
    brief: 'Open the page of the running server in your browser',
    fullDescription: [
      'Logs your browser in at the running server and opens its page. Prints nothing. For people: a coding agent, or a command that',
      'one started, is refused.',
      '',
      'Examples:',
      '  troupe open',
    ].join('\n'),
  },
});

export const watchCommand = buildCommand({
  loader: async () => (await import('./watch.ts')).watch,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Write every event as a line of JSON (docs/API.md has the names)' },
      plain: { kind: 'boolean', default: false, brief: 'Write lines, also where somebody watches' },
      lines: { kind: 'boolean', default: false, brief: 'Write what a chat would be told (docs/TELEGRAM.md)' },
      ...demoFlags,
    },
    positional: optionalArgument('SESSION', 'Only this session, by the first characters of its id; default: all'),
  },
  docs: {
    brief: 'Watch the live tree in the terminal',
    fullDescription: [
      'Shows every session at work with its agents: status, current tool, tokens, time, silence. Uses the running server, or',
      'follows by itself. Keys: arrows move and fold, / filters, s sorts, enter reads a transcript, ? tells the rest, q quits.',
      'Piped, it writes a line for each change; with --json, every event; with --lines, what troupe telegram would tell.',
      '',
      'Examples:',
      '  troupe watch',
      '  troupe watch 30d8c624',
      '  troupe watch --json | jq -c .type',
      '  troupe watch --demo --speed 4',
    ].join('\n'),
  },
});
