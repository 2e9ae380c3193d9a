import { buildCommand } from '@stricli/core';
import {
  cleanLine,
  type DoctorReport,
  type Finding,
  type FindingArea,
  type FindingLevel,
  type Paint,
} from '../core/index.ts';
import { type CliContext, textOptionsOf, writeJson, writeLines } from './context.ts';
import { helpText, type SharedFlags, sharedFlags, whereOf } from './flags.ts';

export const doctorCommand = buildCommand({
  func: doctor,
  parameters: { flags: sharedFlags },
  docs: helpText(
    'See whether everything is in order: programs, settings, hooks, server, audit',
    ['troupe doctor', 'troupe doctor --json | jq \'.findings[] | select(.level == "problem")\''],
    'Looks at the programs troupe knows and what their versions tell, at their data, at the hooks in their settings, at the',
    'server, at its own files, and verifies the audit. Where hooks are installed, two harmless calls go through the very',
    'command that is installed, one of the main agent and one of a sub-agent, and must turn up in the audit.',
    'Ends with code 1 where something does not work.',
  ),
});

/** Prints each finding at once: asking programs for their versions takes a while. */
async function doctor(this: CliContext<'doctor'>, flags: SharedFlags): Promise<void> {
  const { paint } = textOptionsOf(this);
  const findings: Finding[] = [];
  let area: FindingArea | undefined;
  for await (const finding of this.doctor.examine(whereOf(flags))) {
    findings.push(finding);
    if (flags.json) continue;
    const head = finding.area === area ? [] : [...(area ? [''] : []), paint.bold(TITLES[finding.area])];
    area = finding.area;
    writeLines(this, [...head, ...formatFinding(finding, paint)]);
  }
  const report = toReport(findings, this.version);
  if (flags.json) writeJson(this, report);
  else writeLines(this, ['', summaryOf(report)]);
  if (report.problems > 0) this.endWith(1);
}

function toReport(findings: readonly Finding[], version: string): DoctorReport {
  const count = (level: Finding['level']): number => findings.filter((finding) => finding.level === level).length;
  return { version, problems: count('problem'), warnings: count('warning'), findings };
}

function summaryOf({ problems, warnings }: DoctorReport): string {
  if (problems + warnings === 0) return 'All is well.';
  const parts = [
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'thing does' : 'things do'} not work`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'thing is' : 'things are'} worth a look`] : []),
  ];
  return `${parts.join(', ')}.`;
}

const TITLES: Readonly<Record<FindingArea, string>> = {
  hosts: 'Programs',
  folders: 'Their data',
  hooks: 'Hooks',
  server: 'Server',
  state: 'Own files',
  audit: 'Audit',
  telegram: 'Telegram',
};

const MARKS: Readonly<Record<FindingLevel, string>> = { good: '✓', note: '·', warning: '⚠', problem: '✗' };

function formatFinding({ level, text, remedy }: Finding, paint: Paint): readonly string[] {
  const colour = { good: paint.green, note: paint.dim, warning: paint.yellow, problem: paint.red }[level];
  const lines = [`  ${colour(MARKS[level])} ${cleanLine(text)}`];
  return remedy === null ? lines : [...lines, paint.dim(`    → ${cleanLine(remedy)}`)];
}
