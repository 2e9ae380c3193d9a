// For `npm run fuzz`: commands that a policy with nothing but `Bash(ls:*)` allows. Bundled by scripts/fuzz-strace.mjs.
import fc from 'fast-check';
import { decide } from '../decide.ts';
import { bash, policy, rule } from './make-call.ts';
import { isCompound, knownScripts, unknownScripts } from './random-ls.ts';

const ONLY_LS = policy([rule('allow', 'Bash(ls:*)')], 'deny');

/** Each once; `wanted` of them, at least half with expansions, redirections or lists. */
export function drawAllowed(
  seed: number,
  wanted: number,
): { readonly commands: readonly string[]; readonly compound: number; readonly drawn: number } {
  const commands = new Set<string>();
  let compound = 0;
  let drawn = 0;
  for (let round = 0; commands.size < wanted && round < 1000; round++)
    for (const command of fc.sample(fc.oneof({ weight: 3, arbitrary: knownScripts }, unknownScripts), {
      numRuns: 1000,
      seed: seed + round,
    })) {
      drawn++;
      const isPlain = !isCompound(command);
      if (commands.size >= wanted || commands.has(command)) continue;
      if (isPlain && commands.size - compound >= wanted / 2) continue;
      if (decide(ONLY_LS, bash(command)).decision !== 'allow') continue;
      commands.add(command);
      if (!isPlain) compound++;
    }
  return { commands: [...commands], compound, drawn };
}
