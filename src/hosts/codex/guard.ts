import { formatAnswer } from './hooks/answer.ts';
import { callerOf, readPayload } from './hooks/payload.ts';

export const codexGuard = { read: readPayload, callerOf, formatAnswer, cannotAsk: true } as const;
