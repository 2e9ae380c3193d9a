import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { opencode } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: opencode,
  single: recording('1.18.33-single'),
  twoAtOnce: { folder: recording('1.18.33-parallel') },
  nested: { folder: recording('1.18.33-nested') },
  resumed: { folder: recording('1.18.33-resume') },
  noEnd: { folder: recording('1.18.33-hang-sigkill') },
  failed: { folder: recording('1.18.33-failing') },
  background: { folder: recording('1.18.33-background') },
  mainIsGone: { firstSourceOfSingle: true },
});
