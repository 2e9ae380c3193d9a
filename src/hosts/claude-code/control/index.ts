import type { ControlCapability } from '../../index.ts';
import { planControl, withLines } from './arguments.ts';
import { lastWords, textIn } from './last-words.ts';
import {
  answerCall,
  answerEnding,
  answerQuestion,
  callerIn,
  greet,
  interrupt,
  isDecided,
  isGreeting,
  isMessage,
  readControl,
  refuse,
  say,
  stopAgent,
} from './protocol.ts';

export const claudeCodeControl: ControlCapability = {
  plan: planControl,
  withLines,
  read: readControl,
  greet,
  isGreeting,
  isMessage,
  isDecided,
  say,
  interrupt,
  stopAgent,
  callerIn,
  answerCall,
  answerEnding,
  answerQuestion,
  refuse,
  textIn,
  lastWords,
};
