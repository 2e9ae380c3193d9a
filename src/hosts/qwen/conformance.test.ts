import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { qwen } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: qwen,
  single: recording('0.24.4-single'),
  twoAtOnce: { folder: recording('0.24.4-parallel') },
  nested: { folder: recording('0.24.4-nested') },
  resumed: { folder: recording('0.24.4-resume') },
  noEnd: { folder: recording('0.24.4-hang-sigint') },
  failed: { folder: recording('0.24.4-failing') },
  background: { folder: recording('0.24.4-background') },
  mainIsGone: { firstSourceOfSingle: true },
});
