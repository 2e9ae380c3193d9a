// Bundled and run by telegram.mjs, in a process of its own.

import { computeDetail } from '../src/core/index.ts';
import { claudeCode } from '../src/hosts/claude-code/index.ts';
import { createSessions } from '../src/sessions/index.ts';
import { type LoadOptions, runLoad } from '../test/telegram-server/load.ts';

const [root = '', options = '{}'] = process.argv.slice(2);
const { tree } = await createSessions([{ adapter: claudeCode, root, forced: false }], { clock: Date.now }).open();
const from = computeDetail(tree, { internal: false });
console.log(JSON.stringify(await runLoad({ from, ...(JSON.parse(options) as Omit<LoadOptions, 'from'>) })));
