import { codex } from '../../src/hosts/codex/index.ts';
import { CODEX } from './host-recipes.ts';
import { describeHost, type Scenario } from './host-suite.ts';

const VERSION_2 = { version: '0.144.0', what: 'the second version of its agent tools' };

/** The kit names an agent's task after what it is for. */
const taskName = (description: string | null): string | null =>
  description?.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_') ?? null;

describeHost({
  adapter: codex,
  recipe: CODEX,
  written: { below: 'sessions', files: /\.jsonl$/ },
  scenarios: [
    ...['plain', 'single', 'parallel', 'nested', 'failing'].map(
      (play): Scenario => ({
        play,
        script: { maxDepth: 3, dialect: 'codex' },
        dictatedName: ({ prompt }) => prompt,
        answersNotices: true,
      }),
    ),
    ...['single', 'parallel'].map(
      (play): Scenario => ({
        play,
        version2: true,
        since: VERSION_2,
        script: { maxDepth: 1, dialect: 'codex' },
        dictatedName: ({ description }) => taskName(description),
        answersNotices: true,
      }),
    ),
  ],
  endings: { SIGINT: 'stopped', SIGKILL: 'unknown' },
  endAfterMs: 6_000,
  // Its locks. Who holds them, only Linux tells.
  ...(process.platform === 'linux' && { processesSince: '0.155.0' }),
  // Before, the tool that waits had another name: the script cannot wait, and its agents are cut off.
  agentsSince: '0.118.0',
});
