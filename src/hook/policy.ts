// dist/hook-policy.cjs: compiles policies, and finds calls that no rule can be about. Loaded where there is a policy only.
export { compileSources } from '../guard/policy/compile-sources.ts';
export { preCheck } from '../guard/pre-check.ts';
