import { formatAnswer } from './hooks/answer.ts';
import { callerOf } from './hooks/caller-files.ts';
import { readPayload } from './hooks/payload.ts';

export const claudeCodeGuard = { read: readPayload, callerOf, formatAnswer };
