// dist/hook-judge.cjs: compiles policies and judges calls, with the shell grammar in it. Loaded if there is a policy. One file: nearly all
// calls under a policy need all of it, and each further file costs a hook half a millisecond.
import { compilePolicy } from '../guard/policy/compile.ts';
import type { Policy } from '../guard/policy.ts';

export { judgeAlone } from '../guard/judge-call.ts';
export { compileSources } from '../guard/policy/compile.ts';

const SAMPLE = `version: 1 # a comment
presets: [no-secret-files, sub-agents-may-not-push, hands-off-the-guard]
defaults: { subagent: ask }
on_error: deny
rules:
  - name: one
    agents: { type: a, kind: subagent, under: { kind: main } }
    tools:
      - Bash(a b:*)
      - "Edit(//x/**)"
    decision: ask
    wait: 5m
    when: { days: mon-fri, hours: "09:00-18:00" }
    reason: two
  - { agents: { type: [a, b] }, tools: "Bash(c:*)", decision: deny }
${'  - { tools: "Bash(d e:*)", decision: deny }\n'.repeat(30)}`;

/** For a rehearsal. */
export function compileSample(): Policy {
  const content = Buffer.from(SAMPLE);
  const source = { scope: 'user', file: '', root: null, content } as const;
  const readYaml = () => {
    throw new Error('The sample is plain.');
  };
  return compilePolicy({ sources: [source], home: '/', readYaml, isBrief: true }).policy;
}
