import { gemini } from '../../src/hosts/gemini/index.ts';
import { GEMINI } from './host-recipes.ts';
import { describeHost } from './host-suite.ts';

// Programs of 0.40.1 and later.
describeHost({
  adapter: gemini,
  recipe: GEMINI,
  written: { below: '', files: /\/(?:chats|subagents)\/.*\.jsonl$/ },
  scenarios: ['plain', 'single', 'parallel', 'nested', 'failing'].map((play) => ({
    play,
    script: { maxDepth: 1 },
    // It takes no description.
    dictatedName: ({ prompt }) => prompt,
    callsOf({ kind, toolCalls, endStatus, depth }) {
      if (kind === 'main') return toolCalls;
      // Calls for agents of an agent are refused, and not written down.
      const refused = play === 'nested' && depth === 1 ? 2 : 0;
      // `complete_task` is how an agent says that it is done.
      return toolCalls - refused + (endStatus === 'completed' ? 1 : 0);
    },
    mainStaysOpen: true,
    inAnyOrder: true,
  })),
  endings: { SIGKILL: 'unknown' },
  endAfterMs: 20_000,
});
