import { gemini } from '../../src/adapters/gemini/index.ts';
import { GEMINI, programsIn, startChatHost } from './chat-kit.ts';
import { describeChats } from './chat-suite.ts';

// TROUPE_GEMINI_BIN: one or more programs, 0.40.1 and later.
for (const program of programsIn('TROUPE_GEMINI_BIN'))
  describeChats({
    adapter: gemini,
    program,
    plays: ['plain', 'single', 'parallel', 'nested', 'failing'],
    maxDepth: 1,
    start: () => startChatHost(GEMINI, program),
    // It takes no description.
    labelOf: ({ prompt }) => prompt,
    callsOf({ kind, toolCalls, endStatus, depth }, play) {
      if (kind === 'main') return toolCalls;
      // Calls for agents of an agent are refused, and not written down.
      const refused = play === 'nested' && depth === 1 ? 2 : 0;
      // `complete_task` is how an agent says that it is done.
      return toolCalls - refused + (endStatus === 'completed' ? 1 : 0);
    },
  });
