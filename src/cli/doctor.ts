import type { DoctorReport, Finding, FindingArea } from '../core/index.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatArea, formatFinding } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

/** Says each finding as soon as it is known: asking programs for their version takes a moment. */
export async function doctor(this: CliContext, flags: SharedFlags): Promise<void> {
  const { paint } = textOptionsOf(this.face);
  const findings: Finding[] = [];
  let area: FindingArea | undefined;
  for await (const finding of this.face.examine(whereOf(flags))) {
    findings.push(finding);
    if (flags.json) continue;
    const head = finding.area === area ? [] : [...(area ? [''] : []), formatArea(finding.area, paint)];
    area = finding.area;
    writeLines(this, [...head, ...formatFinding(finding, paint)]);
  }
  const report = toReport(findings, this.face.version);
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
