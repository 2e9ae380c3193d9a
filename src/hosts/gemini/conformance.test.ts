import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { gemini } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: gemini,
  single: recording('0.61.0-single'),
  twoAtOnce: { folder: recording('0.61.0-parallel') },
  nested: { skip: 'its agents are offered no agents' },
  resumed: { skip: 'its agents cannot be talked to' },
  noEnd: { folder: recording('0.61.0-hang-sigkill') },
  failed: { folder: recording('0.61.0-failing') },
  background: { skip: 'whoever asks for an agent waits for it' },
  mainIsGone: { firstSourceOfSingle: true },
});
