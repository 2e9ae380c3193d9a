import { buildCommand } from '@stricli/core';
import { sharedFlags } from './flags.ts';

export const doctorCommand = buildCommand({
  loader: async () => (await import('./doctor.ts')).doctor,
  parameters: { flags: sharedFlags },
  docs: {
    brief: 'See whether everything is in order: programs, settings, hooks, server, audit',
    fullDescription: [
      'Looks at the programs troupe knows and what their versions tell, at their data, at the hooks in their settings, at the',
      'server, at its own files, and verifies the audit. Where hooks are installed, two harmless calls go through the very',
      'command that is installed, one of the main agent and one of a sub-agent, and must turn up in the audit.',
      'Ends with code 1 where something does not work.',
      '',
      'Examples:',
      '  troupe doctor',
      '  troupe doctor --json | jq \'.findings[] | select(.level == "problem")\'',
    ].join('\n'),
  },
});
