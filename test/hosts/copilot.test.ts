import { copilot } from '../../src/hosts/copilot/index.ts';
import { COPILOT } from './host-recipes.ts';
import { describeHost } from './host-suite.ts';

describeHost({
  adapter: copilot,
  recipe: COPILOT,
  written: { below: 'session-state', files: /events\.jsonl$/ },
  scenarios: ['plain', 'single', 'parallel', 'nested', 'failing', 'background', 'many'].map((play) => ({
    play,
    script: { maxDepth: 9, dialect: 'copilot' },
    dictatedName: ({ description }) => description,
    shownName: ({ description }) => description,
    uncounted: {
      background: 'When its agent has ended, the host may call for the answer in the place of the main agent.',
    },
  })),
  endings: { SIGKILL: 'unknown' },
  endAfterMs: 8_000,
  processesSince: '0',
});
