import { claudeCode } from '../src/hosts/claude-code/index.ts';
import { createSessions } from '../src/sessions/index.ts';

/** Every session below a data folder, files to trees; how many agents there were. */
export async function readTrees(root: string): Promise<number> {
  const sessions = createSessions([{ adapter: claudeCode, root, forced: false }], {
    clock: () => Date.parse('2030-01-01'),
  });
  const { trees } = await sessions.list({ limit: Number.POSITIVE_INFINITY });
  return trees.reduce((sum, tree) => sum + tree.agents.length, 0);
}
