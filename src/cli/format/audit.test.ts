import { describe, expect, it } from 'vitest';
import { type AuditEntry, type CoverageReport, PLAIN, widthOf } from '../../core/index.ts';
import { formatAuditLine, formatAuditPage, formatCoverage } from './audit-lines.ts';

const NOW = new Date(2026, 10, 15, 15, 40).getTime();
const iso = (hour: number, day = 15): string => new Date(2026, 10, day, hour, 2, 3).toISOString();

function entry(n: number, fields: Partial<Omit<AuditEntry, 'agent'>>, agent: Partial<AuditEntry['agent']>): AuditEntry {
  return {
    v: 1,
    n,
    id: String(n),
    at: iso(14),
    host: 'claude-code',
    event: 'PreToolUse',
    session: 's',
    agent: {
      who: 'subagent',
      id: 'a1',
      type: null,
      name: null,
      kind: 'task',
      depth: 1,
      path: ['main', 'tester'],
      evidence: 'exact',
      reason: null,
      ...agent,
    },
    tool: 'Bash',
    call: `toolu_${n}`,
    summary: 'npm test',
    input: {},
    cwd: null,
    decision: 'observed',
    rule: null,
    reason: null,
    ms: null,
    prev: '',
    hash: '',
    ...fields,
  };
}

const entries = [
  entry(1, { at: iso(23, 14) }, { who: 'main', path: ['main'] }),
  entry(2, { decision: 'none', ms: 1.23 }, { path: ['main', 'Plan all of the release', 'Test the \u001b[31mparser'] }),
  entry(3, { summary: 'a command that is a good deal longer\nthan a line', ms: 41.6 }, { evidence: 'guess' }),
  entry(4, {}, { who: 'unknown', path: [], evidence: 'none', reason: 'its call is in no transcript of the session' }),
];

describe('the audit log as text', () => {
  it('shows agent, call and decision, and cuts nothing when piped', () => {
    const page = { entries, hasMore: true, badLines: 1 };
    expect(formatAuditPage(page, { paint: PLAIN, now: NOW })).toMatchInlineSnapshot(`
      [
        "time             agent                                                 tool  what                                              decision   ms",
        "14 Nov 23:02:03  main                                                  Bash  npm test                                          observed",
        "14:02:03         main › Plan all of the release › Test the parser      Bash  npm test                                          none      1.2",
        "14:02:03         main › tester (a guess)                               Bash  a command that is a good deal longer than a line  observed   42",
        "14:02:03         unknown: its call is in no transcript of the session  Bash  npm test                                          observed",
        "There are older ones: show more with -n 20",
        "1 line could not be read: see troupe guard log --verify",
      ]
    `);
  });

  it.each([40, 60, 80, 120])('fits %i columns, and keeps the end of a path', (width) => {
    const options = { paint: PLAIN, now: NOW, width };
    const lines = formatAuditPage({ entries, hasMore: false, badLines: 0 }, options);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    if (width >= 80) expect(lines[2]).toContain('› Test the parser');
    for (const one of entries) expect(widthOf(formatAuditLine(one, options))).toBeLessThanOrEqual(Math.max(60, width));
  });

  it('keeps its columns aligned while it follows, and cuts nothing when piped', () => {
    const piped = entries.slice(1, 3).map((one) => formatAuditLine(one, { paint: PLAIN, now: NOW }));
    expect(piped.map((line) => line.indexOf('Bash'))).toEqual([77, 69]);
    expect(piped[1]).toContain('longer than a line');
    const options = { paint: PLAIN, now: NOW, width: 100 };
    expect(entries.slice(1).map((one) => formatAuditLine(one, options))).toMatchInlineSnapshot(`
      [
        "14:02:03  none      1.2    … › Test the parser                Bash        npm test",
        "14:02:03  observed  42     main › tester (a guess)            Bash        a command that is a good…",
        "14:02:03  observed         unknown: its call is in no trans…  Bash        npm test",
      ]
    `);
  });
});

describe('coverage as text', () => {
  const call = { call: 'c', tool: 'Bash', summary: 'rm -rf build', at: iso(14), agentId: 'a1', reason: null };
  const report: CoverageReport = {
    sessionId: 'fa129e54-d574',
    title: 'Fix the build',
    ran: 3,
    heard: 2,
    missed: [{ ...call, path: ['main', 'tester'] }],
    neverRan: [{ ...call, tool: 'Read', summary: 'x.txt', path: ['main'], reason: 'File does not exist.' }],
    unresolved: [{ ...call, path: [], at: null, tool: null, summary: null }],
    unnamed: 1,
    doubted: 0,
    gaps: 0,
    agents: [
      { agentId: 's', path: ['main'], type: null, ran: 1, heard: 1 },
      { agentId: 'a1', path: ['main', 'tester'], type: 'general-purpose', ran: 2, heard: 1 },
    ],
  };

  it('shows how many calls were recorded, of which agents, and which were not', () => {
    expect(formatCoverage({ ...report, unnamed: 0 }, { paint: PLAIN, now: NOW })).toMatchInlineSnapshot(`
      [
        "fa129e54  Fix the build",
        "2 of 3 tool calls passed a hook",
        "",
        " heard  agent          type",
        "1 of 1  main",
        "1 of 2  main › tester  general-purpose",
        "",
        "Missed: no hook heard of 1 call.",
        "time      agent          tool  what",
        "14:02:03  main › tester  Bash  rm -rf build",
        "",
        "Never ran: the host refused 1 call before any hook.",
        "time      agent  tool  what   the host's words",
        "14:02:03  main   Read  x.txt  «File does not exist.»",
        "",
        "Unresolved: 1 call with neither a hook nor a result; nobody knows whether they ran.",
        "time  agent                       tool",
        "–     an agent that is not known  –",
      ]
    `);
  });

  it('claims nothing about calls that unnamed hooks may belong to', () => {
    const lines = formatCoverage({ ...report, heard: 0, unnamed: 3 }, { paint: PLAIN, now: NOW });
    expect(lines).toContain('0 of 3 tool calls passed a hook for certain');
    expect(lines).toContain('Not proven: no hook named 1 call.');
    expect(lines.at(-1)).toBe(
      '3 hooks of this session did not say which call they were about, and prove nothing here. See troupe guard log.',
    );
    expect(lines.join()).not.toContain('Missed');
  });

  it('keeps tables within the width of the terminal', () => {
    const reason = 'Error: File does not exist. Note: your current working directory is somewhere else.';
    const long = { ...call, path: ['main', 'a tester with a long name'], summary: 'a command that is long', reason };
    const many = { ...report, missed: [long], neverRan: [long], unresolved: [long] };
    for (let width = 30; width < 130; width++)
      for (const line of formatCoverage(many, { paint: PLAIN, now: NOW, width }))
        if (/^(\d\d:|time|main|agent|\s*\d+ of \d+ {2}|\s*heard)/.test(line))
          expect([width, line, widthOf(line) <= width]).toEqual([width, line, true]);
    expect(formatCoverage(many, { paint: PLAIN, now: NOW, width: 40 }).slice(-5)).toMatchInlineSnapshot(`
      [
        "Unresolved: 1 call with neither a hook nor a result; nobody knows whether they ran.",
        "agent         what          the host's…",
        "main › a te…  a command t…  «Error: Fil…",
        "",
        "1 hook of this session did not say which call it was about, and proves nothing here. See troupe guard log.",
      ]
    `);
  });

  it('says that no call ran when there are none', () => {
    const empty = { ...report, ran: 0, heard: 0, missed: [], neverRan: [], unresolved: [], unnamed: 0, agents: [] };
    expect(formatCoverage(empty, { paint: PLAIN, now: NOW })).toEqual([
      'fa129e54  Fix the build',
      'No tool call has run yet',
    ]);
  });
});
