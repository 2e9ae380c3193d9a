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

/** `claude-opus-4-8`, `claude-sonnet-4-5-20250929`, and the older `claude-3-5-sonnet-20241022`. */
const NEW = /^claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8})?(?:\[.*\])?$/;
const OLD = /^claude-(\d{1,2})(?:-(\d{1,2}))?-([a-z]+)(?:-\d{8})?$/;

/** Short enough for a badge: opus 4.8. Models of other makers keep their name. */
export function shortModel(model: string | null): string {
  if (model === null) return '';
  const now = NEW.exec(model);
  if (now) return nameOf(now[1], now[2], now[3]);
  const before = OLD.exec(model);
  return before ? nameOf(before[3], before[1], before[2]) : cleanLine(model);
}

function nameOf(family = '', major = '', minor = ''): string {
  return `${family} ${major}${minor === '' ? '' : `.${minor}`}`;
}

/** Where a car stands in its lane. */
export interface Position {
  /**
   * `share`: of the context window. `open`: the window is not known, the lane has no end, and tokens are placed on a
   * logarithmic scale. `none`: nothing is known; the car stands at the start, hollow.
   */
  readonly kind: 'share' | 'open' | 'none';
  /** Of the way from the start to the right edge of the lane, 0 to 1. */
  readonly share: number;
}

/** An open lane goes from a thousand tokens to ten million. */
const OPEN_FROM = 1_000;
const OPEN_TO = 10_000_000;

export function positionOf(tokens: number | null, window: number | null): Position {
  if (tokens === null) return { kind: 'none', share: 0 };
  if (window !== null && window > 0) return { kind: 'share', share: within(tokens / window) };
  return { kind: 'open', share: within(Math.log(Math.max(tokens, 1) / OPEN_FROM) / Math.log(OPEN_TO / OPEN_FROM)) };
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
