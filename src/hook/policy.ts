// The part of dist/hook-judge.cjs that compiles policies and finds calls that no rule can be about.
import { compilePolicy } from '../guard/policy/compile.ts';
import type { Policy } from '../guard/policy.ts';

export { compileSources } from '../guard/policy/compile-sources.ts';
export { preCheck } from '../guard/pre-check.ts';

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
`;

/** For a rehearsal. */
export function compileSample(): Policy {
  const content = Buffer.from(SAMPLE);
  const source = { scope: 'user', file: '', root: null, content } as const;
  const readYaml = () => {
    throw new Error('The sample is plain.');
  };
  return compilePolicy({ sources: [source], home: '/', readYaml }).policy;
}
