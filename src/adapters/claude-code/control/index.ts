import type { ControlCapability } from '../../../model/control.ts';
import { planControl } from './arguments.ts';
import { lastWords } from './last-words.ts';
import {
  answerCall,
  answerQuestion,
  greet,
  interrupt,
  isDecided,
  isGreeting,
  isMessage,
  readControl,
  refuse,
  say,
} from './protocol.ts';

export const claudeCodeControl: ControlCapability = {
  plan: planControl,
  read: readControl,
  greet,
  isGreeting,
  isMessage,
  isDecided,
  say,
  interrupt,
  answerCall,
  answerQuestion,
  refuse,
  lastWords,
};
