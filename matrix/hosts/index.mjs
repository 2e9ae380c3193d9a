import { claudeCode } from './claude-code.mjs';

export const HOSTS = [claudeCode];
