import { plural } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatGuardTest, formatPolicyCheck, formatPresets } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

interface JsonFlag {
  readonly json: boolean;
}

export async function guardCheck(this: CliContext, { json }: JsonFlag, file?: string): Promise<void> {
  const check = await this.face.policy.check(file);
  if (!check.ok) this.endWith(1);
  if (json) return writeJson(this, check);
  writeLines(this, formatPolicyCheck(check, textOptionsOf(this.face)));
}

interface TestFlags extends JsonFlag {
  readonly policy?: string;
}

export async function guardTest(this: CliContext, { json, policy }: TestFlags, file: string): Promise<void> {
  const report = await this.face.questions.test(file, policy);
  if (!report.ok) this.endWith(1);
  if (json) return writeJson(this, report);
  writeLines(this, formatGuardTest(report, textOptionsOf(this.face)));
}

export async function guardSuggest(this: CliContext, flags: SharedFlags, session?: string): Promise<void> {
  const suggestion = await this.face.questions.suggest(whereOf(flags), session);
  if (flags.json) return writeJson(this, suggestion);
  writeLines(this, [suggestion.yaml.trimEnd()]);
  const { length } = suggestion.left;
  if (length > 0)
    this.face.terminal.note(`${plural(length, 'call')} could not be turned into a rule: see the end of it.`);
}

export async function guardPresets(this: CliContext, { json }: JsonFlag, name?: string): Promise<void> {
  const presets = (await this.face.policy.presets()).filter((preset) => name === undefined || preset.name === name);
  if (presets.length === 0)
    throw new UserError('no-preset', `There is no preset ${name}.`, 'See them with: troupe guard presets');
  if (json) return writeJson(this, presets);
  const [only] = presets;
  writeLines(this, name !== undefined && only ? [only.text.trimEnd()] : formatPresets(presets));
}
