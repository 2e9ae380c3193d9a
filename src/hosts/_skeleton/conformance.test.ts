import { fileURLToPath } from 'node:url';
import { describeConformance } from '../testing/conformance.ts';
import { toy } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describeConformance({
  adapter: toy,
  single: recording('single'),
  twoAtOnce: { folder: recording('nested') },
  nested: { folder: recording('nested') },
  resumed: { skip: 'the toy cannot wake an agent' },
  noEnd: { folder: recording('no-end') },
  failed: { folder: recording('failed') },
  background: { skip: 'the toy knows no background' },
  mainIsGone: { skip: 'all agents of the toy share one file' },
});
