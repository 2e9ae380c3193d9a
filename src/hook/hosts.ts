// dist/hook-hosts.cjs: hosts that the hook knows beside those in it. Loaded where one of them calls.
export { MORE_GUARDED_HOSTS } from '../hosts/more-guarded-hosts.ts';
