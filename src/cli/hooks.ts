import { buildCommand, buildRouteMap } from '@stricli/core';
import { cleanLine, createPaint, type HookScope, notLoadedText } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { hookBudgetCommand } from './budget.ts';
import { type CliContext, writeAnswer, writeJson, writeLines } from './context.ts';
import { helpText, optional, type SharedFlags, sharedFlags, toggle } from './flags.ts';
import { formatFileDiff, formatHooksStatus } from './format/index.ts';
import type { HooksPlan } from './hooks/hooks-control.ts';

const host = {
  ...sharedFlags.host,
  brief: 'The host whose settings are meant; default: the first that has hooks',
} as const;
const consent = { yes: toggle('Do not ask'), dryRun: toggle('Show the change and leave it at that') } as const;
const scopes = ['user', 'project', 'local'] as const;

const installCommand = buildCommand({
  func: install,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host,
      scope: {
        kind: 'enum',
        values: scopes,
        default: 'user',
        brief: 'Whose settings: yours, those of the project in this folder, or yours for this project only',
      },
      guard: toggle('Also stand in front of every tool call'),
      statusline: toggle(
        'Enter only the status line, in front of which one that is there goes on; hooks stay as they are',
      ),
      hostVersion: optional(
        toVersion,
        'X.Y.Z',
        'The version to write for; default: what the program on the PATH says. Of several, the oldest',
      ),
      ...consent,
    },
  },
  docs: helpText(
    "Enter troupe's hooks in the settings of the host",
    [
      'troupe hooks install',
      'troupe hooks install --scope project --guard',
      'troupe hooks install --statusline',
      'troupe hooks install --yes --json',
    ],
    'Shows the exact change and asks before it writes. Everything else in the file stays as it is, byte for byte, and a',
    'copy of the old one is kept. Only events that your version knows are entered. Ends with code 1 if',
    'this host will not run what was entered, and with code 2 if nothing could be entered.',
  ),
});

const uninstallCommand = buildCommand({
  func: uninstall,
  parameters: {
    flags: {
      json: sharedFlags.json,
      host,
      scope: { kind: 'enum', values: scopes, optional: true, brief: 'Only there; default: wherever ours are' },
      ...consent,
    },
  },
  docs: helpText(
    "Take troupe's hooks out again",
    ['troupe hooks uninstall', 'troupe hooks uninstall --scope project --yes'],
    'Takes out our entries and nothing else. Where nobody changed the file since, it is what it was before, byte for byte.',
  ),
});

const statusCommand = buildCommand({
  func: status,
  parameters: { flags: { json: sharedFlags.json, host } },
  docs: helpText(
    'Say which hooks are installed where, and whether the host runs them',
    ['troupe hooks status', 'troupe hooks status --json | jq .loaded.state'],
    'Looks at every settings file that counts in this folder, at the calls in the audit log, and at the newest sessions. Hooks are',
    'active only if the host has called them since they were installed. Ends with code 1 if something is missing or in the way, or',
    'the host does not run them.',
  ),
});

/** The observer runs it now and then if no server does. */
const drainCommand = buildCommand({
  async func(this: CliContext<'audit'>): Promise<void> {
    await this.audit.drain();
  },
  parameters: {},
  docs: { brief: 'Take over what hooks have told so far' },
});

export const hooksRoutes = buildRouteMap<string, CliContext<'hooks' | 'audit' | 'budgets'>>({
  routes: {
    install: installCommand,
    uninstall: uninstallCommand,
    status: statusCommand,
    drain: drainCommand,
    budget: hookBudgetCommand,
  },
  docs: { brief: "troupe's hooks in the settings of your coding agent", hideRoute: { drain: true, budget: true } },
});

function toVersion(text: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(text)) throw new SyntaxError(`«${text}» is not a version like 2.1.325`);
  return text;
}

interface ConsentFlags extends Omit<SharedFlags, 'root'> {
  readonly yes: boolean;
  readonly dryRun: boolean;
}

interface InstallFlags extends ConsentFlags {
  readonly scope: HookScope;
  readonly guard: boolean;
  readonly statusline: boolean;
  readonly hostVersion?: string;
}

async function install(this: CliContext<'hooks'>, flags: InstallFlags): Promise<void> {
  const { host, scope, guard, hostVersion } = flags;
  if (flags.statusline) return installStatusLine(this, flags);
  const plan = await this.hooks.planInstall({ scope, guard, ...known({ host, hostVersion }) });
  if (plan.hostVersion === null)
    this.terminal.note(
      `Which version of ${plan.hostTitle} you have is not known: only what the oldest one knows is entered. Say it with --host-version.`,
    );
  if (plan.doubled.length > 0)
    this.terminal.note(
      `Other entries of ours stand in another file that counts here, and would tell us twice of ${plan.doubled.join(', ')}. troupe hooks status says where, and which to take out.`,
    );
  if (plan.dropsGuard)
    this.terminal.note(
      'A guard stands in this file: without --guard it will only observe from now on, and hold nothing up.',
    );
  const { notLoaded } = plan;
  if (notLoaded) {
    const words = notLoadedText({ role: guard ? 'guard' : 'observe' });
    this.terminal.note(`${words} ${notLoaded.text}\n  → ${notLoaded.remedy}`);
    if (!flags.dryRun) this.endWith(1);
  }
  const applied = await carryOut(this, flags, plan);
  if (flags.json) {
    const { hostVersion: version, events, doubled, dropsGuard } = plan;
    const more = { version, events, doubled, dropsGuard, notLoaded: notLoaded ?? null };
    return writeJson(this, { ...toJson(plan, applied), ...more });
  }
  // The scripts are written in any case: they may be missing, or of another version.
  if (plan.changes.length === 0) writeLines(this, [`Our hooks are there already, for ${plan.events.length} events.`]);
  else if (applied)
    writeLines(this, [
      notLoaded
        ? `The entries are written, but ${plan.hostTitle} will not run them.`
        : `Done: ${plan.events.length} events are entered; ${plan.hostTitle} reads them at its next start. Run one tool call there, then see troupe hooks status${host === undefined ? '' : ` --host ${host}`}.`,
      ...(plan.approval === undefined
        ? []
        : [`${plan.hostTitle} runs them once you have agreed to it: ${plan.approval}.`]),
      ...backupLines(applied),
    ]);
}

async function installStatusLine(context: CliContext<'hooks'>, flags: InstallFlags): Promise<void> {
  const { host, scope, guard } = flags;
  if (guard)
    throw new UserError(
      'statusline-alone',
      '--statusline enters no hooks.',
      'Install the guard first, without --statusline.',
    );
  const plan = await context.hooks.planStatusLine({ scope, ...known({ host }) });
  const applied = await carryOut(context, flags, plan);
  if (flags.json) return writeJson(context, { ...toJson(plan, applied), wraps: plan.wraps ?? null });
  if (plan.changes.length === 0) writeLines(context, ['The status line is there already.']);
  else if (applied)
    writeLines(context, [
      `Done: ${plan.hostTitle} shows it from its next start on.`,
      ...(plan.wraps === undefined ? [] : [`Your own goes on above it: ${cleanLine(plan.wraps)}`]),
      'It knows about sub-agents while the server runs: troupe server start',
      ...backupLines(applied),
    ]);
}

async function uninstall(
  this: CliContext<'hooks'>,
  flags: ConsentFlags & { readonly scope?: HookScope },
): Promise<void> {
  const { host, scope } = flags;
  const plan = await this.hooks.planUninstall(known({ host, scope }));
  const applied = await carryOut(this, flags, plan);
  if (flags.json) return writeJson(this, toJson(plan, plan.changes.length > 0 ? applied : undefined));
  if (plan.changes.length === 0) writeLines(this, ['None of our entries is there: nothing to take out.']);
  else if (applied) writeLines(this, ['Done: our entries are out.', ...backupLines(applied)]);
}

async function status(this: CliContext<'hooks'>, { json, host }: Omit<SharedFlags, 'root'>): Promise<void> {
  const found = await this.hooks.status(known({ host }));
  if (!found.isComplete) this.endWith(1);
  writeAnswer(this, json, found, (status, { paint }) => formatHooksStatus(status, paint));
}

/** Shows the changes, asks, writes. Returns the folders of the backups, or undefined if nothing was written. */
async function carryOut(
  context: CliContext,
  { json, yes, dryRun }: ConsentFlags,
  plan: HooksPlan,
): Promise<readonly string[] | undefined> {
  const { terminal } = context;
  if (!json) {
    const paint = createPaint(terminal.colours);
    for (const change of plan.changes) writeLines(context, [...formatFileDiff(change, paint), '']);
  }
  if (dryRun) return undefined;
  if (plan.changes.length === 0 || yes) return plan.apply();
  if (json || !terminal.ask)
    throw new UserError(
      'consent-needed',
      'Nothing was changed: there is nobody to ask.',
      'Say yes beforehand with --yes, or look at the change with --dry-run.',
    );
  if (await terminal.ask(plan.changes.length === 1 ? 'Change it?' : 'Change them?')) return plan.apply();
  writeLines(context, ['Nothing was changed.']);
  context.endWith(1);
  return undefined;
}

function toJson(plan: HooksPlan, applied: readonly string[] | undefined): object {
  const { host, changes } = plan;
  return { host, applied: applied !== undefined, changes, backups: applied ?? [] };
}

function backupLines(folders: readonly string[]): readonly string[] {
  return folders.map((folder) => `The old text is kept in ${folder}`);
}
