// dist/hook-policy.cjs: the compiling part of the hook, with the YAML library in it. Loaded where there is a policy only.
export { compileSources } from '../guard/policy/compile-sources.ts';
