// dist/hook-hosts.cjs: hosts that the hook knows beside those in it. Loaded where one of them calls.
export { MORE_JUDGED_HOSTS } from '../hosts/more-judged-hosts.ts';
