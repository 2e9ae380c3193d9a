import { formatAnswer } from './hooks/answer.ts';
import { callerOf } from './hooks/caller-files.ts';
import { readPayload } from './hooks/payload.ts';

export const qwenGuard = { read: readPayload, callerOf, formatAnswer, cannotChangeInput: true } as const;
