import path from 'node:path';
import { suggestWord } from '../../lib/suggest-word.ts';
import {
  type AgentSelector,
  BUDGET_LIMITS,
  BUDGET_SCOPES,
  type Budget,
  type BudgetLimit,
  COUNTED_TOKENS,
  DECISIONS,
  type Decision,
  OPAQUE,
  type Rule,
  SUB_AGENT_KINDS,
  type TimeWindow,
  TOKEN_KINDS,
  type ToolPattern,
  toToolPattern,
} from '../policy.ts';
import { type Field, flag, listOrOne, nameOf, oneOf, type Reader, textOf } from './fields.ts';
import { isScalar } from './plain-yaml.ts';

export interface ReadRule {
  /** Without what its place in the whole gives it. */
  readonly rule: Omit<Rule, 'id' | 'scope' | 'place'>;
  /** Where its words stand. */
  readonly keys: ReadonlyMap<string, number>;
}

/** Undefined where something is wrong with it: half a rule may say the opposite of the whole one. */
export function readRule(field: Field, folders: FolderContext): ReadRule | undefined {
  const { problems } = field.walk;
  const before = problems.errors();
  const fields = field.readFields(
    {
      name: sentence,
      agents: readAgents(folders),
      tools: listOrOne(readTool),
      decision: oneOf(DECISIONS),
      reason: sentence,
      when: readWindow,
      wait: duration,
      on_timeout: oneOf<'allow' | 'deny'>(['allow', 'deny']),
      despite_ancestors: flag,
      own_calls_only: flag,
      opaque: oneOf(OPAQUE),
      inject_identity: flag,
    },
    { otherwise: 'on_timeout', tell_identity: 'inject_identity' },
  );
  if (!fields) return undefined;
  const { values, keys } = fields;
  const { decision } = values;
  if (!keys.has('decision'))
    field.missing('This rule decides nothing.', 'Add `decision: deny`, `ask`, `allow` or `none`.');
  if (decision) reportConflicts(field, decision, keys);
  if (problems.errors() !== before || !decision) return undefined;
  const rule = {
    name: values.name ?? null,
    agents: values.agents ?? null,
    tools: values.tools ?? [],
    decision,
    reason: values.reason ?? null,
    when: values.when ?? null,
    wait: values.wait === undefined ? null : { ms: values.wait, otherwise: values.on_timeout ?? 'deny' },
    despiteAncestors: values.despite_ancestors ?? false,
    ...(values.opaque ? { opaque: values.opaque } : {}),
    ...(values.own_calls_only ? { ownCallsOnly: true as const } : {}),
    injectsIdentity: values.inject_identity ?? false,
  };
  return { rule, keys };
}

/** Which decisions each of these has a meaning for. */
const GOES_WITH: Readonly<Record<string, readonly Decision[]>> = {
  wait: ['ask'],
  on_timeout: ['ask'],
  despite_ancestors: ['allow'],
  own_calls_only: ['deny'],
  opaque: ['deny', 'ask'],
  inject_identity: ['allow', 'ask', 'none'],
};

function reportConflicts(field: Field, decision: Decision, keys: ReadonlyMap<string, number>): void {
  for (const [key, decisions] of Object.entries(GOES_WITH)) {
    const offset = keys.get(key);
    if (offset === undefined || decisions.includes(decision)) continue;
    const message = `\`${key}\` goes with \`decision: ${decisions.join('` or `')}\` only.`;
    field.tell({ code: 'conflict', offset, message, remedy: `Remove it, or change the decision.` });
  }
  const offset = keys.get('on_timeout');
  if (offset === undefined || keys.has('wait') || decision !== 'ask') return;
  const remedy = 'Add `wait: 5m`, or remove `on_timeout`: without `wait` the host asks.';
  field.tell({ code: 'conflict', offset, message: '`on_timeout` needs `wait`.', remedy });
}

/** Over several lines in the file, in one line elsewhere. */
export const sentence = textOf<string>((text) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_TEXT && LINE.test(line)
    ? line
    : { wrong: `must be at most ${MAX_TEXT} characters, all to be seen.` };
});

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** The host waits for its hook as long as it was told when the hook was installed, and no longer (docs/HOOKS.md). */
const MAX_WAIT_MS = UNIT_MS.h;

const duration = textOf<number>((text) => {
  const remedy = 'Write 30s, 5m or 1h; at most 1h: hosts wait no longer for a hook.';
  if (!DURATION.test(text)) return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy };
  const ms = Number.parseInt(text, 10) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS];
  return ms <= MAX_WAIT_MS ? ms : { wrong: 'is too long.', remedy };
});

/** A guard that fails must not let everything through. */
export const ON_ERROR = ['ask', 'deny', 'none'] as const satisfies readonly Decision[];

/** `subagent` is all of them but main. */
export const KINDS = ['main', 'subagent', ...SUB_AGENT_KINDS] as const;

function expandKind(kind: (typeof KINDS)[number]): readonly string[] {
  return kind === 'subagent' ? SUB_AGENT_KINDS : [kind];
}

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** How many characters a text may have: names of types and tools, and sentences. */
export const MAX_TEXT = 1_000;

/** Something to be seen, and no control characters: a text that is shown in one line. */
export const LINE = /^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$/;

/**
 * `Bash`, `Bash(git push:*)`; `mcp__server`, `mcp__server__*`, `mcp__server__tool`; `opencode:todo`. Tools that have a name in
 * our rules begin with a capital, and they alone can be asked what they are used for.
 */
export const TOOL =
  /^(?:[A-Z][A-Za-z0-9]*(?:\([^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*\))?|mcp__[A-Za-z0-9_-]+\*?|[a-z][a-z0-9-]*:[A-Za-z0-9_.-]+)$/;

export const DEPTH = /^(?:(?:>=|<=|>|<)? ?[0-9]{1,3}|[0-9]{1,3} ?- ?[0-9]{1,3})$/;

export const DURATION = /^[1-9][0-9]{0,4} ?[smh]$/;

export const HOURS = /^(?:[01][0-9]|2[0-3]):[0-5][0-9] ?- ?(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/;

/** `mon`, `mon-fri`, `sat, sun`. */
export const DAYS_TEXT = new RegExp(`^(?:${DAYS.join('|')})(?: ?[-,] ?(?:${DAYS.join('|')}))*$`);

/** A day, or a moment; without an offset by the local clock. */
export const DATE =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{3})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$/;

export interface FolderContext {
  readonly home: string;
  /** What relative folders are relative to; null: they say nothing. */
  readonly root: string | null;
  /** Where a folder really is, links followed: calls are told by that. */
  readonly resolve: (folder: string) => string;
}

export function readAgents(folders: FolderContext): Reader<AgentSelector> {
  const read: Reader<AgentSelector> = (field) => {
    const { what } = field;
    const fields = field.readFields({ ...TEXTS, project: listOrOne(projectOf(folders)), under: read });
    if (!fields) return undefined;
    if (fields.keys.size === 0)
      return field.wrong(`${what} names nobody.`, `Remove ${what}: then it is about everybody.`);
    const { kind, project, ...rest } = fields.values;
    return {
      ...rest,
      ...(kind ? { kind: [...new Set(kind.flatMap(expandKind))] } : {}),
      ...(project ? { project: [...new Set(project.flat())] } : {}),
    };
  };
  return read;
}

/** Names and patterns. */
export const shortLine = textOf<string>((text) =>
  text.length <= MAX_TEXT && LINE.test(text) ? text : { wrong: 'must be one short line.' },
);

const depth: Reader<NonNullable<AgentSelector['depth']>> = (field) => {
  const { node: scalar, what } = field;
  const value = isScalar(scalar) ? scalar.value : undefined;
  const text = typeof value === 'number' ? String(value) : value;
  const range = typeof text === 'string' && DEPTH.test(text) ? toRange(text) : undefined;
  if (range && (range.max === null || range.max >= range.min)) return range;
  const remedy = 'Main is at 0: write 1, "1-3", ">=2" or "<3".';
  if (range) return field.wrong(`No agent is at the depth \`${text}\`.`, remedy);
  const written = typeof text === 'string' ? `\`${text.slice(0, 60)}\`` : nameOf(scalar);
  return field.wrong(`${what} cannot be ${written}.`, remedy);
};

function toRange(text: string): { readonly min: number; readonly max: number | null } {
  const [first = 0, second] = (text.match(/\d+/g) ?? []).map(Number);
  if (second !== undefined) return { min: first, max: second };
  if (text.startsWith('>=')) return { min: first, max: null };
  if (text.startsWith('>')) return { min: first + 1, max: null };
  if (text.startsWith('<=')) return { min: 0, max: first };
  return text.startsWith('<') ? { min: 0, max: first - 1 } : { min: first, max: first };
}

const TEXTS = {
  kind: listOrOne(oneOf(KINDS)),
  type: listOrOne(shortLine),
  name: listOrOne(shortLine),
  depth,
  host: listOrOne(shortLine),
} as const;

/** As it was written, and where it really is. */
function projectOf({ home, root, resolve }: FolderContext): Reader<readonly string[]> {
  return textOf<readonly string[]>((text) => {
    if (text.length > MAX_TEXT || !LINE.test(text)) return { wrong: 'must be the path of a folder.' };
    const folder = toAbsolute(text, home, root);
    if (folder === undefined)
      return { wrong: `\`${text}\` could be anywhere.`, remedy: 'Begin it with `~/`, `/` or `**/`.' };
    return folder.startsWith('**') ? [folder] : [folder, resolve(folder)];
  });
}

function toAbsolute(text: string, home: string, root: string | null): string | undefined {
  if (text.startsWith('**')) return text;
  if (text === '~' || text.startsWith('~/')) return path.join(home, text.slice(1));
  if (path.isAbsolute(text)) return path.normalize(text);
  return root === null ? undefined : path.join(root, text);
}

/** Those that hosts have had so far, by the names that our rules use. New ones come: another name is a warning. */
const KNOWN_TOOLS = [
  'Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode',
  'ExitWorktree Glob Grep KillShell LS LSP ListAgents ListMcpResources ListMcpResourcesTool Monitor MultiEdit NotebookEdit',
  'NotebookRead PowerShell Read ReadMcpResource ReadMcpResourceTool ReportFindings ScheduleWakeup',
  'SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate',
  'TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Workflow Write',
].flatMap((line) => line.split(' '));

const tool = textOf<ToolPattern>((text) => {
  if (text === '*')
    return { wrong: 'cannot be `*`.', remedy: 'Remove `tools`: a rule without it is about every tool.' };
  if (text.length > MAX_TEXT || !TOOL.test(text))
    return { wrong: `is \`${text.slice(0, 60)}\`, which is no tool.`, remedy: remedyFor(text) };
  return toToolPattern(text);
});

export const readTool: Reader<ToolPattern> = (field) => {
  const pattern = tool(field);
  if (!pattern) return undefined;
  const warn = (message: string, remedy: string): void =>
    field.tell({ severity: 'warning', code: 'suspicious', message, remedy });
  const known = pattern.tool.startsWith('mcp__') || pattern.tool.includes(':') || KNOWN_TOOLS.includes(pattern.tool);
  if (!known) {
    const meant = suggestWord(pattern.tool, KNOWN_TOOLS);
    warn(
      `No tool is known that is called \`${pattern.tool}\`.`,
      meant ? `Did you mean \`${meant}\`?` : 'It is matched by that name.',
    );
  }
  if (pattern.tool === 'Bash' && pattern.argument && /:\*./.test(pattern.argument))
    warn('`:*` means "and what follows" at the end only.', 'Use `*` alone in the middle.');
  if (pattern.tool !== 'Bash' && pattern.argument && OF_THE_SYSTEM.test(pattern.argument))
    warn(
      `\`${pattern.argument}\` begins at the project's folder, not at that of the system.`,
      `Write \`${pattern.tool}(/${pattern.argument})\` for the folder of the system.`,
    );
  return pattern;
};

/** Folders that a project hardly has. */
const OF_THE_SYSTEM = /^\/(?:Library|System|Users|Volumes|boot|dev|etc|home|mnt|opt|proc|root|sys|tmp|usr|var)(?:\/|$)/;

function remedyFor(text: string): string {
  const meant = suggestWord(text.replace(/\(.*/s, ''), KNOWN_TOOLS);
  if (/\(\s*\)$/.test(text)) return 'Write something between the brackets, or remove them.';
  if (/\),|,[^()]*\(|^[^()]*,[^()]*$/.test(text)) return 'Write several as a list: `[Bash(rm:*), Edit]`.';
  if (text.includes('(') && !text.endsWith(')')) return 'The bracket has no end: write `Bash(git push:*)`.';
  if (meant && !text.startsWith(meant)) return `Did you mean \`${meant}\`?`;
  return 'Write `Bash`, `Bash(git push:*)`, `Edit(src/**)`, `mcp__server__*` or `host:name`.';
}

const readWindow: Reader<TimeWindow> = (field) => {
  const { what } = field;
  const fields = field.readFields({ days, hours, from: moment('first'), until: moment('last') });
  if (!fields) return undefined;
  if (fields.keys.size === 0) return field.wrong(`${what} names no time.`, `Remove ${what}: then it is always.`);
  const { from = null, until = null } = fields.values;
  if (from !== null && until !== null && from >= until)
    return field.wrong('`from` is not before `until`.', 'Change one of them.');
  const chosen = fields.values.days && [...new Set(fields.values.days.flat())].sort((a, b) => a - b);
  return { days: chosen ?? null, minutes: fields.values.hours ?? null, from, until };
};

const days = listOrOne(
  textOf<readonly number[]>((text) => {
    if (!DAYS_TEXT.test(text))
      return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy: 'Write mon-fri, "sat, sun" or [mon, wed].' };
    return text.split(',').flatMap((part) => {
      const named = part.split('-').map((day) => DAYS.indexOf(day.trim() as (typeof DAYS)[number]));
      return named.flatMap((day, index) => (index === 0 ? [day] : daysUpTo(named[index - 1] ?? day, day)));
    });
  }),
);

/** Over Sunday too: `fri-mon`. */
function daysUpTo(first: number, last: number): readonly number[] {
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, step) => (first + step) % 7);
}

const hours = textOf<readonly [number, number]>((text) => {
  const remedy = 'Write it as "09:00-18:00", or "22:00-06:00" over midnight.';
  if (!HOURS.test(text)) return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy };
  const [start = 0, end = 0] = text.split('-').map(toMinutes);
  return start === end ? { wrong: 'ends when it begins.', remedy } : [start, end];
});

function toMinutes(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
}

/** A day that `until` names is included. */
function moment(which: 'first' | 'last'): Reader<number> {
  return textOf<number>((text) => {
    const at = DATE.test(text) ? toInstant(text) : Number.NaN;
    if (Number.isNaN(at))
      return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy: 'Write 2026-11-30 or "2026-11-30T18:00".' };
    if (which === 'first' || text.includes('T')) return at;
    const next = new Date(at);
    next.setDate(next.getDate() + 1);
    return next.getTime();
  });
}

/** A day by the local clock, where `Date` would take UTC; and 31 February is none. */
function toInstant(text: string): number {
  const day = text.slice(0, 10);
  if (new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) return Number.NaN;
  return new Date(text.includes('T') ? text : `${text}T00:00`).getTime();
}

export type ReadBudget = Omit<Budget, 'id' | 'scope' | 'place'>;

/** Undefined if something is wrong with it. In a project's file, only sessions of that project count. */
export function readBudget(field: Field, folders: FolderContext): ReadBudget | undefined {
  const { problems } = field.walk;
  const before = problems.errors();
  const fields = field.readFields({
    name: shortLine,
    agents: readAgents(folders),
    per: oneOf(BUDGET_SCOPES),
    tokens: amount,
    usd: amount,
    turns: whole,
    tool_calls: whole,
    minutes: amount,
    spawns: whole,
    agents_at_once: whole,
    depth: whole,
    count: listOrOne(oneOf(TOKEN_KINDS)),
    project: listOrOne(projectOf(folders)),
    warn: percent,
    on_limit: oneOf(ON_LIMIT),
    grace: whole,
  });
  if (!fields) return undefined;
  const { values, keys } = fields;
  const limits = BUDGET_LIMITS.filter((limit) => keys.has(limit));
  if (!keys.has('name')) field.missing('This budget has no name.', 'Add `name: research`: messages call it so.');
  if (!keys.has('per'))
    field.missing('This budget does not say what it is per.', `Add \`per: ${BUDGET_SCOPES.join('`, `')}\`.`);
  if (limits.length === 0)
    field.missing('This budget limits nothing.', `Add one of \`${BUDGET_LIMITS.join('`, `')}\`.`);
  const conflict = (key: string, message: string, remedy: string): void => {
    const offset = keys.get(key);
    if (offset !== undefined) field.tell({ code: 'conflict', offset, message, remedy });
  };
  if (!keys.has('tokens'))
    conflict('count', '`count` says which tokens count, and there is no limit on tokens.', 'Remove it.');
  if (values.per === 'day')
    conflict('tool_calls', 'Tool calls are not counted by the day.', 'Limit `turns`, or use `per: session`.');
  if (problems.errors() !== before || values.name === undefined || values.per === undefined) return undefined;
  const own = folders.root === null ? null : [folders.root, `${folders.root}/**`];
  return {
    name: values.name,
    agents: values.agents ?? null,
    per: values.per,
    limits: Object.fromEntries(limits.map((limit) => [limit, values[limit]])) as Partial<Record<BudgetLimit, number>>,
    count: values.count ? [...new Set(values.count)] : COUNTED_TOKENS,
    project: values.project?.flat() ?? own,
    warn: values.warn ?? 0.8,
    onLimit: values.on_limit ?? 'deny',
    grace: values.grace ?? 0,
  };
}

export const ON_LIMIT = ['ask', 'deny'] as const satisfies readonly Decision[];

const FACTORS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6 };

/** `300k`, `1.5M`. */
export const AMOUNT = /^(?:[1-9][0-9]{0,8}(?:\.[0-9]{1,6})?|0\.[0-9]{0,5}[1-9])[kM]$/;

const MAX_AMOUNT = 1e12;

export const amount: Reader<number> = (field) => {
  const value = isScalar(field.node) ? field.node.value : undefined;
  const number = typeof value === 'string' && AMOUNT.test(value) ? toAmount(value) : value;
  if (typeof number === 'number' && number > 0 && (typeof value === 'string' || number <= MAX_AMOUNT)) return number;
  return field.wrong(`${field.what} must be a number above 0.`, 'Write 5, 0.5, 300k or 2M.');
};

function toAmount(text: string): number {
  return Number(text.slice(0, -1)) * (FACTORS[text.slice(-1)] ?? 1);
}

const MAX_WHOLE = 1e9;

export const whole: Reader<number> = (field) => {
  const value = isScalar(field.node) ? field.node.value : undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_WHOLE) return value;
  return field.wrong(`${field.what} must be a whole number.`, 'Write e.g. 20; 0 allows none.');
};

export const PERCENT = /^[1-9][0-9]? ?%$/;

const percent = textOf<number>((text) =>
  PERCENT.test(text)
    ? Number.parseInt(text, 10) / 100
    : { wrong: 'must be a share of the limit.', remedy: 'Write 80%.' },
);
