import { formatAnswer } from './hooks/answer.ts';
import { callerOf, readPayload } from './hooks/payload.ts';

export const copilotGuard = { read: readPayload, callerOf, formatAnswer };
