import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { PolicyProblem } from '../../core/index.ts';
import { escapeGlob } from '../match/tool-pattern.ts';
import {
  type Budget,
  DEFAULT_MCP,
  type Decision,
  isLooser,
  MCP_SEES,
  type McpPolicy,
  NO_POLICY,
  type Policy,
  type RepeatedRule,
  type Rule,
  toDefaults,
  toToolPattern,
  withCaution,
} from '../policy.ts';
import { EFFECTS, type Effect, type InputMapping, type ToolMappings } from '../tool-inputs.ts';
import { type PresetName, presetText } from './presets.ts';
import { type Placed, type PolicyFile, type ReadYaml, readOwnText, readPolicyFile } from './read-policy-file.ts';
import {
  type CompiledPolicyFolders,
  type PolicyPlace,
  type PolicySource,
  policyPlaces,
  readSource,
} from './sources.ts';

export interface CompileOptions {
  /** Those that are there. The person's own, the project's, the person's in that project: in this order. */
  readonly sources: readonly PolicySource[];
  readonly home: string;
  /** Where troupe keeps settings and state, if not where `hands-off-the-guard` expects them. */
  readonly ownFolders?: readonly string[];
  /** Where a folder really is, links followed. */
  readonly resolve?: (folder: string) => string;
  readonly readYaml: ReadYaml;
  /** For a few calls only: rules that repeat others are read when they are needed (`Policy.repeats`). */
  readonly isBrief?: boolean;
}

export interface Compiled {
  /** Never looser than the good parts of the files, and never silent about the others. */
  readonly policy: Policy;
  readonly presets: readonly string[];
  readonly problems: readonly PolicyProblem[];
}

export function compilePolicy({
  sources,
  home,
  ownFolders = [],
  resolve = (folder) => folder,
  readYaml,
  isBrief = false,
}: CompileOptions): Compiled {
  if (sources.length === 0) return { policy: NO_POLICY, presets: [], problems: [] };
  const files = sources.map((source) => ({
    source,
    file: readPolicyFile(source, { home, resolve }, readYaml, isBrief),
  }));
  const presets = [...new Set(files.flatMap(({ file }) => file.presets))];
  const settings = files.reduce<Settings | undefined>(
    (before, { source, file }) => (source.scope === 'user' ? settingsOf(file) : tightenSettings(before, file)),
    undefined,
  );
  const own = files.map(({ source, file }) => ({ file, rules: rulesOf(source, file) }));
  const repeats = own.flatMap(({ file, rules }) => repeatsOf(file, rules));
  const rules = [
    ...presets.flatMap((name) => presetRules(name, readYaml)).map((rule) => withOwnFolders(rule, ownFolders)),
    ...own.flatMap((one) => one.rules),
  ];
  const tools = mergeMappings(files);
  const mapped = tools === undefined ? {} : { tools };
  const budgets = files.flatMap(({ source, file }) => budgetsOf(source, file));
  const limited = budgets.length === 0 ? {} : { budgets };
  const mcp = mcpOf(files);
  let policy: Policy = {
    ...NO_POLICY,
    ...settings,
    ...mapped,
    rules,
    ...limited,
    ...(mcp && { mcp }),
    ...(repeats.length > 0 && { repeats }),
  };
  for (const { source, file } of files) policy = cautioned(policy, source, file);
  return { policy, presets, problems: files.flatMap(({ file }) => file.problems.list()) };
}

/** `TROUPE_HOME` and the folders of XDG move what `hands-off-the-guard` protects. */
function withOwnFolders(rule: Rule, folders: readonly string[]): Rule {
  if (!rule.id.startsWith('preset:hands-off-the-guard:')) return rule;
  const tools = folders.flatMap((folder) =>
    ['Read', 'Edit'].map((tool) => toToolPattern(`${tool}(/${escapeGlob(folder)}/**)`)),
  );
  return { ...rule, tools: [...rule.tools, ...tools] };
}

/** In the person's own file a mapping stands for what the names of inputs say; that of a project only adds to it. */
function mergeMappings(
  files: readonly { readonly source: PolicySource; readonly file: PolicyFile }[],
): ToolMappings | undefined {
  const merged = new Map<string, InputMapping>();
  for (const { source, file } of files)
    for (const [tool, mapping] of Object.entries(file.tools ?? {})) {
      const before = merged.get(tool);
      const all = EFFECTS.flatMap((effect): [Effect, readonly string[]][] => {
        const inputs = [...(before?.[effect] ?? []), ...(mapping[effect] ?? [])];
        return inputs.length === 0 ? [] : [[effect, inputs]];
      });
      // With a mistake in the file, what it calls plain data may be more.
      const adds = (source.scope !== 'user' && before === undefined) || before?.adds || file.error !== null;
      merged.set(tool, { ...Object.fromEntries(all), ...(adds ? { adds: true } : {}) });
    }
  return merged.size === 0 ? undefined : Object.fromEntries(merged);
}

function rulesOf(source: PolicySource, file: PolicyFile): readonly Rule[] {
  const isOwn = source.scope === 'user';
  return file.rules.flatMap(({ rule, number, offset, keys }) => {
    if (!isOwn && !isTight(file, rule, keys)) return [];
    // What is allowed in a file with a mistake may be allowed because of it.
    if (file.error && !TIGHT.has(rule.decision)) return [];
    const place = { file: source.file, line: file.problems.lineOf(offset) };
    return [{ id: `${source.scope}:${number}`, scope: source.scope, place, ...rule }];
  });
}

function repeatsOf({ repeats = [] }: PolicyFile, rules: readonly Rule[]): readonly RepeatedRule[] {
  const known = new Map(rules.map((rule) => [Number(rule.id.split(':')[1]), rule]));
  let after: Rule | undefined;
  let number = 0;
  return repeats.map((repeat) => {
    for (; number < repeat.number; number++) after = known.get(number) ?? after;
    return {
      number: repeat.number,
      line: repeat.line,
      tool: repeat.tool,
      word: repeat.word,
      like: known.get(repeat.like) as Rule,
      after: after as Rule,
    };
  });
}

/** Those of a project hold beside the person's own, so they can only tighten. */
function budgetsOf({ scope, file: name }: PolicySource, file: PolicyFile): readonly Budget[] {
  return file.budgets.map(({ number, offset, ...budget }) => {
    const place = { file: name, line: file.problems.lineOf(offset) };
    return { id: `${scope}:budget:${number}`, scope, place, ...budget };
  });
}

/** Undefined where no file says anything about it. A project can only narrow it; with a mistake in a file, nothing is widened. */
function mcpOf(files: readonly { readonly source: PolicySource; readonly file: PolicyFile }[]): McpPolicy | undefined {
  let mcp: McpPolicy | undefined;
  for (const { source, file } of files) {
    if (!file.mcp) continue;
    const { value, offset } = file.mcp;
    const { sees, may } = mcp ?? DEFAULT_MCP;
    if (source.scope === 'user') {
      mcp = { sees: value.sees ?? sees, may: value.may ?? may };
      continue;
    }
    const isWider = value.sees !== undefined && MCP_SEES.indexOf(value.sees) > MCP_SEES.indexOf(sees);
    if (isWider || value.may !== undefined) {
      const said = value.may === undefined ? `sees: ${value.sees}` : 'may';
      const message = `A project's policy can only tighten: \`mcp: ${said}\` has no effect here.`;
      file.problems.add({ code: 'loosens', offset, message, remedy: 'Move it to your own policy.yaml.' });
    }
    mcp = { sees: isWider ? sees : (value.sees ?? sees), may };
  }
  if (mcp === undefined || files.every(({ file }) => file.error === null)) return mcp;
  return { sees: mcp.sees === 'everything' ? 'project' : mcp.sees, may: [] };
}

const TIGHT: ReadonlySet<Decision> = new Set(['ask', 'deny']);

/** A project must not open what its owner does not know of: says so where one tries. */
function isTight(
  { problems }: PolicyFile,
  rule: Pick<Rule, 'decision' | 'wait'>,
  keys: ReadonlyMap<string, number>,
): boolean {
  const isLoose = !TIGHT.has(rule.decision);
  if (!isLoose && rule.wait?.otherwise !== 'allow') return true;
  const [key, word] = isLoose ? ['decision', rule.decision] : ['on_timeout', 'allow'];
  const message = `A project's policy can only tighten: \`${key}: ${word}\` has no effect here.`;
  const remedy = 'Move the rule to your own policy.yaml.';
  problems.add({ code: 'loosens', offset: keys.get(key) ?? 0, message, remedy });
  return false;
}

function cautioned(policy: Policy, { scope, file }: PolicySource, { error }: PolicyFile): Policy {
  if (!error) return policy;
  const reason = `${path.basename(file)} has an error at line ${error.line}: ${error.message} See troupe guard check.`;
  return withCaution(policy, { id: `${scope}:error`, place: { file, line: error.line }, reason });
}

/** In the hook: what `presetRules` gives, as JSON, from scripts/build.mjs. They are code, and no agent can write them in the state folder. */
declare const PRESET_RULES: Readonly<Record<PresetName, string>> | undefined;

const presetsRead = new Map<PresetName, readonly Rule[]>();

/** They are always the same: each is read once. */
export function presetRules(name: PresetName, readYaml: ReadYaml): readonly Rule[] {
  const known = presetsRead.get(name);
  if (known) return known;
  if (typeof PRESET_RULES !== 'undefined') return JSON.parse(PRESET_RULES[name]) as readonly Rule[];
  const rules = readOwnText(name, presetText(name), readYaml).rules.map(
    ({ rule, number }): Rule => ({ id: `preset:${name}:${number}`, scope: 'preset', place: null, ...rule }),
  );
  presetsRead.set(name, rules);
  return rules;
}

export type Settings = Pick<Policy, 'defaults' | 'onError' | 'opaque'>;

/** What holds where a policy says nothing about it: it has rules, so a call that nobody can be named for is worth a question. */
const UNSAID: Settings = {
  defaults: { main: 'none', subagent: 'none', unknown: 'ask' },
  onError: 'ask',
  opaque: 'ask',
};

export function settingsOf({ defaults, onError, opaque }: PolicyFile): Settings {
  return {
    defaults: toDefaults((who) => defaults[who]?.value ?? UNSAID.defaults[who]),
    onError: onError?.value ?? UNSAID.onError,
    opaque: opaque?.value ?? UNSAID.opaque,
  };
}

/** With what a project says; what would loosen is told, and has no effect. Without a policy before it, that was no opinion. */
function tightenSettings(before: Settings | undefined, file: PolicyFile): Settings {
  const { defaults, onError, opaque } = before ?? NO_POLICY;
  const unsaid = before ?? UNSAID;
  const tightened = <Value extends Decision>(
    name: string,
    said: Placed<Value> | undefined,
    now: Value,
    otherwise: Value,
  ): Value => {
    if (!said) return otherwise;
    if (!isLooser(said.value, now)) return said.value;
    const message = `A project's policy can only tighten: \`${name}: ${said.value}\` is looser than \`${now}\`.`;
    file.problems.add({ code: 'loosens', offset: said.offset, message, remedy: 'Remove it: it has no effect.' });
    return otherwise;
  };
  return {
    defaults: toDefaults((who) => tightened(who, file.defaults[who], defaults[who], unsaid.defaults[who])),
    onError: tightened('on_error', file.onError, onError, unsaid.onError),
    opaque: tightened('opaque', file.opaque, opaque, unsaid.opaque),
  };
}

export interface CompiledSources extends Compiled {
  /** Those that are there, with their texts. */
  readonly sources: readonly (PolicyPlace & Pick<NonNullable<ReturnType<typeof readSource>>, 'content'>)[];
}

/**
 * The policy of a project, always compiled from the files themselves: a compiled one that was kept could be changed by an agent without a
 * trace. Never throws: what cannot be read becomes a problem, and a rule that asks.
 */
export function compileSources(
  where: CompiledPolicyFolders,
  readYaml: ReadYaml,
  places: readonly PolicyPlace[] = policyPlaces(where),
  isBrief = false,
): CompiledSources {
  const sources = places.flatMap((place) => {
    const found = readSource(place.file);
    return found ? [{ ...place, content: found.content }] : [];
  });
  const { home, configFolder, stateFolder } = where;
  const ownFolders = [configFolder, stateFolder].map(resolveFolder);
  return { sources, ...compilePolicy({ sources, home, ownFolders, resolve: resolveFolder, readYaml, isBrief }) };
}

/** The part before the first `*`, as far as it is there, with its links followed. */
function resolveFolder(pattern: string): string {
  const parts = pattern.split(path.sep);
  const fixed = parts.findIndex((part) => part.includes('*'));
  for (let length = fixed === -1 ? parts.length : fixed; length > 1; length--) {
    try {
      return path.join(realpathSync(parts.slice(0, length).join(path.sep)), ...parts.slice(length));
    } catch {
      // Not there (yet): the folder above may be.
    }
  }
  return pattern;
}
