import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { copilot } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: copilot,
  single: recording('1.0.102-single'),
  twoAtOnce: { folder: recording('1.0.102-parallel') },
  nested: { folder: recording('1.0.102-nested') },
  resumed: { folder: recording('1.0.102-talk') },
  noEnd: { folder: recording('1.0.102-hang-sigkill') },
  failed: { folder: recording('1.0.102-failing') },
  background: { folder: recording('1.0.102-background') },
  mainIsGone: { skip: 'all agents of a session share one file' },
});
