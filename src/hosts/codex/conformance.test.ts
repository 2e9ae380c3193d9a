import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { codex } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: codex,
  single: recording('0.166.0-single'),
  twoAtOnce: { folder: recording('0.166.0-parallel') },
  nested: { folder: recording('0.166.0-nested') },
  resumed: { folder: recording('0.166.0-resume') },
  noEnd: { folder: recording('0.166.0-hang-sigkill') },
  failed: { folder: recording('0.166.0-failing') },
  background: { skip: 'all its agents run beside their parent: none is set apart' },
  mainIsGone: { firstSourceOfSingle: true },
});
