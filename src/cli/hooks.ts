import { createPaint, type HookScope, notLoadedWords } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { writeJson, writeLines } from './flags.ts';
import { fileDiffLines, hooksStatusLines } from './format/index.ts';
import type { HooksPlan } from './hooks/hooks-control.ts';
import type { CliContext } from './run-cli.ts';

interface ConsentFlags {
  readonly json: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly host?: string;
}

export interface InstallFlags extends ConsentFlags {
  readonly scope: HookScope;
  readonly guard: boolean;
  readonly hostVersion?: string;
}

export async function install(this: CliContext, flags: InstallFlags): Promise<void> {
  const { host, scope, guard, hostVersion } = flags;
  const plan = await this.face.hooks.planInstall({ scope, guard, ...known({ host, hostVersion }) });
  if (plan.hostVersion === null)
    this.face.terminal.note(
      `Which version of ${plan.hostTitle} you have is not known: only what the oldest one knows is entered. Say it with --host-version.`,
    );
  if (plan.doubled.length > 0)
    this.face.terminal.note(
      `Other entries of ours stand in another file that counts here, and would tell us twice of ${plan.doubled.join(', ')}. troupe hooks status says where, and which to take out.`,
    );
  if (plan.dropsGuard)
    this.face.terminal.note(
      'A guard stands in this file: without --guard it will only observe from now on, and hold nothing up.',
    );
  const { notLoaded } = plan;
  if (notLoaded) {
    const words = notLoadedWords({ role: guard ? 'guard' : 'observe' });
    this.face.terminal.note(`${words} ${notLoaded.text}\n  → ${notLoaded.remedy}`);
    if (!flags.dryRun) this.endWith(1);
  }
  const applied = await carryOut(this, flags, plan);
  const { hostVersion: version, events, doubled, dropsGuard } = plan;
  if (flags.json)
    return writeJson(this, {
      ...toJson(plan, applied),
      version,
      events,
      doubled,
      dropsGuard,
      notLoaded: notLoaded ?? null,
    });
  // The scripts are written anew in any case: they may be of another version, or gone.
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

export interface UninstallFlags extends ConsentFlags {
  readonly scope?: HookScope;
}

export async function uninstall(this: CliContext, flags: UninstallFlags): Promise<void> {
  const { host, scope } = flags;
  const plan = await this.face.hooks.planUninstall(known({ host, scope }));
  const applied = await carryOut(this, flags, plan);
  if (flags.json) return writeJson(this, toJson(plan, plan.changes.length > 0 ? applied : undefined));
  if (plan.changes.length === 0) writeLines(this, ['None of our hooks is there: nothing to take out.']);
  else if (applied) writeLines(this, ['Done: our hooks are out.', ...backupLines(applied)]);
}

export async function status(
  this: CliContext,
  flags: { readonly json: boolean; readonly host?: string },
): Promise<void> {
  const found = await this.face.hooks.status(known({ host: flags.host }));
  if (!found.isComplete) this.endWith(1);
  if (flags.json) return writeJson(this, found);
  writeLines(this, hooksStatusLines(found, createPaint(this.face.terminal.colours)));
}

/** Shows what would change, asks, writes. Gives where the old texts lie; nothing where nothing was written. */
async function carryOut(
  context: CliContext,
  { json, yes, dryRun }: ConsentFlags,
  plan: HooksPlan,
): Promise<readonly string[] | undefined> {
  const { terminal } = context.face;
  if (!json) {
    const paint = createPaint(terminal.colours);
    for (const change of plan.changes) writeLines(context, [...fileDiffLines(change, paint), '']);
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

export async function drain(this: CliContext): Promise<void> {
  await (await this.face.guardLog({ roots: [] })).drain();
}
