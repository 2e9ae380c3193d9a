// dist/hook-judge.cjs: the judging part of the hook, with the shell grammar in it. Loaded where there is a policy only.
export { judgeAlone } from '../guard/judge-call.ts';
