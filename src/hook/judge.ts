// dist/hook-judge.cjs: compiles policies and judges calls, with the shell grammar in it. Loaded if there is a policy. One file: nearly all
// calls under a policy need all of it, and each further file costs a hook half a millisecond.
export { judgeAlone } from '../guard/judge-call.ts';
export { compileSample, compileSources, preCheck } from './policy.ts';
