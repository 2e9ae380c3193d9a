import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { claudeCode } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: claudeCode,
  single: recording('2.1.325-single'),
  twoAtOnce: { folder: recording('2.1.325-parallel') },
  nested: { folder: recording('2.1.325-nested') },
  resumed: { folder: recording('2.1.325-resume') },
  noEnd: { folder: recording('2.1.325-hang-sigkill') },
  failed: { folder: recording('2.1.325-failing') },
  background: { folder: recording('2.1.325-background') },
  mainIsGone: { firstSourceOfSingle: true },
});
