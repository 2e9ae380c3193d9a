import {
  type AgentReport,
  cleanLine,
  contextText,
  formatStatus,
  isBusy,
  PLAIN,
  paintMark,
  type Standing,
  standingOf,
  timeText,
  typeText,
  watchedDoing,
} from '../../../../src/core/index.ts';
import { shortModel } from './model-name.ts';
import { type Position, positionOf } from './position.ts';

/** What is drawn and said of an agent and does not depend on the time. */
export interface Facts {
  readonly label: string;
  readonly type: string;
  /** On the car. */
  readonly initial: string;
  readonly model: string;
  readonly standing: Standing;
  readonly isBusy: boolean;
  /** ● ◐ ⚠ ✓ ✗ ■ ? */
  readonly mark: string;
  readonly status: string;
  /** Tool and summary; empty where it uses none. */
  readonly tool: string;
  readonly position: Position;
  readonly context: string;
}

/** Reports never change, and most of them are drawn a thousand times. */
const known = new WeakMap<AgentReport, Facts>();

export function factsOf(agent: AgentReport): Facts {
  const before = known.get(agent);
  if (before) return before;
  const standing = standingOf(agent);
  const type = cleanLine(typeText(agent));
  const facts: Facts = {
    label: cleanLine(agent.label),
    type,
    initial: initialOf(agent.kind === 'main' ? 'main' : type),
    model: shortModel(agent.model),
    standing,
    isBusy: isBusy(agent),
    mark: paintMark(standing, PLAIN),
    status: formatStatus(agent),
    tool: cleanLine([agent.currentTool, agent.currentToolSummary].filter((part) => part !== null).join(' ')),
    position: positionOf(agent.contextTokens, agent.contextWindow),
    context: contextText(agent),
  };
  known.set(agent, facts);
  return facts;
}

function initialOf(text: string): string {
  const letter = /[\p{L}\p{N}]/u.exec(text)?.[0] ?? '?';
  return letter.toUpperCase();
}

const said = new WeakMap<AgentReport, string>();

/** What stands beside the car: what it does, on what it waits and for how long, how it ended. */
export function sayingOf(agent: AgentReport, now: number): string {
  const before = said.get(agent);
  if (before !== undefined) return before;
  const { standing } = factsOf(agent);
  const saying = newSaying(agent, standing, now);
  // Only a silence grows by the clock.
  if (standing !== 'silent') said.set(agent, saying);
  return saying;
}

function newSaying(agent: AgentReport, standing: Standing, now: number): string {
  const { status } = factsOf(agent);
  const doing = cleanLine(watchedDoing(agent, now));
  switch (standing) {
    case 'running':
      return doing;
    case 'spawning':
      return 'starting';
    case 'completed':
    case 'stopped':
      return [status, timeText(agent, now), doing].filter((part) => part !== '' && part !== '–').join(' · ');
    case 'failed':
    case 'unknown':
      return doing === '' ? status : `${status}: ${doing}`;
    default:
      return doing === '' ? status : doing;
  }
}
