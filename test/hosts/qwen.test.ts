import { qwen } from '../../src/hosts/qwen/index.ts';
import { QWEN } from './host-recipes.ts';
import { describeHost } from './host-suite.ts';

// Programs of 0.21.2 and later. They need Node 22, first in the PATH.
describeHost({
  adapter: qwen,
  recipe: QWEN,
  written: { below: '', files: /\/(?:chats|subagents)\/.*\.jsonl$/ },
  scenarios: ['plain', 'single', 'parallel', 'nested', 'failing', 'background'].map((play) => ({
    play,
    // The main agent is woken once: what the script keeps for more is not played.
    script: { maxDepth: Number.POSITIVE_INFINITY, ...(play === 'background' && { steps: { main: 4 } }) },
    dictatedName: ({ description }) => description,
    mainStaysOpen: true,
    inAnyOrder: true,
  })),
  endings: { SIGKILL: 'unknown' },
  endAfterMs: 20_000,
});
