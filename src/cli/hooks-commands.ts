import { buildCommand, buildRouteMap } from '@stricli/core';
import { sharedFlags } from './flags.ts';

const host = {
  ...sharedFlags.host,
  brief: 'The host whose settings are meant; default: the first that has hooks',
} as const;
const consent = {
  yes: { kind: 'boolean', default: false, brief: 'Do not ask' },
  dryRun: { kind: 'boolean', default: false, brief: 'Show the change and leave it at that' },
} as const;
const scopes = ['user', 'project', 'local'] as const;

const installCommand = buildCommand({
  loader: async () => (await import('./hooks.ts')).install,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host,
      scope: {
        kind: 'enum',
        values: scopes,
        default: 'user',
        brief: 'Whose settings: yours, those of the project in this folder, or yours for this project only',
      },
      guard: { kind: 'boolean', default: false, brief: 'Also stand in front of every tool call' },
      hostVersion: {
        kind: 'parsed',
        parse: toVersion,
        optional: true,
        placeholder: 'X.Y.Z',
        brief: 'The version to write for; default: what the program on the PATH says. Of several, the oldest',
      },
      ...consent,
    },
  },
  docs: {
    brief: "Enter troupe's hooks in the settings of the host",
    fullDescription: [
      'Shows the exact change and asks before it writes. Everything else in the file stays as it is, byte for byte, and a',
      'copy of the old one is kept. Only events that your version knows are entered. Ends with code 1 if',
      'this host will not run what was entered, and with code 2 if nothing could be entered.',
      '',
      'Examples:',
      '  troupe hooks install',
      '  troupe hooks install --scope project --guard',
      '  troupe hooks install --yes --json',
    ].join('\n'),
  },
});

const uninstallCommand = buildCommand({
  loader: async () => (await import('./hooks.ts')).uninstall,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host,
      scope: { kind: 'enum', values: scopes, optional: true, brief: 'Only there; default: wherever ours are' },
      ...consent,
    },
  },
  docs: {
    brief: "Take troupe's hooks out again",
    fullDescription: [
      'Takes out our entries and nothing else. Where nobody changed the file since, it is what it was before, byte for byte.',
      '',
      'Examples:',
      '  troupe hooks uninstall',
      '  troupe hooks uninstall --scope project --yes',
    ].join('\n'),
  },
});

const statusCommand = buildCommand({
  loader: async () => (await import('./hooks.ts')).status,
  parameters: { flags: { json: sharedFlags.json, host } },
  docs: {
    brief: 'Say which hooks are installed where, and whether the host runs them',
    fullDescription: [
      'Looks at every settings file that counts in this folder, at the calls in the audit log, and at the newest sessions. Hooks are',
      'active only if the host has called them since they were installed. Ends with code 1 if something is missing or in the way, or',
      'the host does not run them.',
      '',
      'Examples:',
      '  troupe hooks status',
      '  troupe hooks status --json | jq .loaded.state',
    ].join('\n'),
  },
});

/** For the observer, which calls it now and then where no server runs. */
const drainCommand = buildCommand({
  loader: async () => (await import('./hooks.ts')).drain,
  parameters: {},
  docs: { brief: 'Take over what hooks have told so far' },
});

export const hooksRoutes = buildRouteMap({
  routes: { install: installCommand, uninstall: uninstallCommand, status: statusCommand, drain: drainCommand },
  docs: { brief: "troupe's hooks in the settings of your coding agent", hideRoute: { drain: true } },
});

function toVersion(text: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(text)) throw new SyntaxError(`«${text}» is not a version like 2.1.325`);
  return text;
}
