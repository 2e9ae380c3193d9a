import { formatAnswer, formatReply } from './hooks/answer.ts';
import { callerOf, readPayload } from './hooks/payload.ts';

export const opencodeGuard = { read: readPayload, callerOf, formatAnswer, formatReply, cannotAsk: true } as const;
