import { qwen } from '../../src/adapters/qwen/index.ts';
import { programsIn, QWEN, startChatHost } from './chat-kit.ts';
import { describeChats } from './chat-suite.ts';

// TROUPE_QWEN_BIN: one or more programs, 0.21.2 and later. They need Node 22, first in the PATH.
for (const program of programsIn('TROUPE_QWEN_BIN'))
  describeChats({
    adapter: qwen,
    program,
    plays: ['plain', 'single', 'parallel', 'nested', 'failing', 'background'],
    maxDepth: Number.POSITIVE_INFINITY,
    start: () => startChatHost(QWEN, program),
    labelOf: ({ description }) => description,
    callsOf: ({ toolCalls }) => toolCalls,
  });
