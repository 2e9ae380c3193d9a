import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorReport, HooksStatus } from '../../src/core/index.ts';
import { type GuardedProgram, type GuardedRecipe, RECIPES, startGuarded } from './guarded-hosts.ts';
import { programsIn } from './host-kit.ts';
import { CLAUDE, type HostRecipe, OPENCODE, OPENCODE_TWO } from './host-recipes.ts';
import { isSecondProgram, programs as opencodePrograms } from './opencode-server.ts';

// Whether `hooks status` and `doctor` say of a real program what it does. TROUPE_CLAUDE_BIN, TROUPE_OPENCODE_BIN (1.x and 2.x),
// and those of hosts-guard.test.ts: one or more programs each.

const POLICY = `version: 1
defaults: { main: none, subagent: none, unknown: none }
rules:
  - { name: nobody removes main, tools: "Bash(rm -r build/main)", decision: deny, reason: Not this one. }
`;

interface Seen {
  readonly status: HooksStatus;
  readonly statusCode: number | null;
  readonly statusText: string;
  readonly doctorCode: number | null;
  readonly doctorText: string;
  readonly codes: readonly string[];
}

function look(program: GuardedProgram, host: string): Seen {
  const json = program.runTroupe('hooks', 'status', '--host', host, '--json');
  const doctor = program.runTroupe('doctor', '--host', host, '--json');
  const report: DoctorReport = JSON.parse(doctor.out);
  return {
    status: JSON.parse(json.out),
    statusCode: json.code,
    statusText: program.troupe('hooks', 'status', '--host', host),
    doctorCode: doctor.code,
    doctorText: program.troupe('doctor', '--host', host),
    codes: report.findings.filter(({ area }) => area === 'hooks').map(({ level, code }) => `${level} ${code}`),
  };
}

function expectNotLoaded(seen: Seen, kind: string): void {
  expect(seen.status.loaded).toMatchObject({ state: 'not-loaded', reasons: [{ kind }] });
  expect(seen.status.isComplete).toBe(false);
  expect([seen.statusCode, seen.doctorCode]).toEqual([1, 1]);
  for (const text of [seen.statusText, seen.doctorText]) {
    expect(text).toContain('GUARD NOT LOADED, tool calls run UNGUARDED:');
    expect(text).not.toMatch(/✓ (user:|Active)/);
    expect(text).not.toContain('All is well.');
  }
}

function expectActive(seen: Seen, version: string): void {
  expect(seen.status.loaded).toMatchObject({ state: 'active', role: 'guard', reasons: [] });
  expect([version, null]).toContain(seen.status.loaded.lastCall?.hostVersion ?? null);
  expect([seen.statusCode, seen.doctorCode]).toEqual([0, 0]);
  expect(seen.codes).toContain('good hooks-active');
  expect(seen.statusText).toContain('✓ Active:');
}

function expectUnproven(seen: Seen): void {
  expect(seen.status.loaded).toMatchObject({ state: 'unproven', role: 'guard' });
  expect(seen.codes).toContain('warning hooks-unproven');
  expect(seen.codes).not.toContain('good hooks-active');
  expect(seen.statusText).toContain('! Installed, not yet seen working:');
  expect(seen.statusText).not.toContain('✓');
  expect([seen.statusCode, seen.doctorCode]).toEqual([0, 0]);
}

const editJson = (file: string, change: (settings: Record<string, unknown>) => void): void => {
  const settings = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  change(settings);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings, null, 2));
};

/** What switches the hooks of a host off, where that is not the version. Gives what takes it back. */
const SWITCHES: Readonly<Record<string, (program: GuardedProgram) => { readonly kind: string; undo(): void }>> = {
  'claude-code'({ data }) {
    const file = path.join(data, 'settings.json');
    editJson(file, (settings) => {
      settings['disableAllHooks'] = true;
    });
    return { kind: 'off', undo: () => editJson(file, (settings) => delete settings['disableAllHooks']) };
  },
  qwen({ data }) {
    const file = path.join(data, 'settings.json');
    editJson(file, (settings) => {
      settings['disableAllHooks'] = true;
    });
    return { kind: 'off', undo: () => editJson(file, (settings) => delete settings['disableAllHooks']) };
  },
  gemini({ data }) {
    const file = path.join(data, 'settings.json');
    editJson(file, (settings) => {
      const { BeforeTool } = settings['hooks'] as { BeforeTool: { hooks: { command: string }[] }[] };
      settings['hooksConfig'] = { disabled: [BeforeTool[0]?.hooks[0]?.command] };
    });
    return { kind: 'obstacle', undo: () => editJson(file, (settings) => delete settings['hooksConfig']) };
  },
  codex({ project }) {
    const file = path.join(project, '.codex', 'config.toml');
    mkdirSync(path.dirname(file), { recursive: true });
    appendFileSync(file, '[features]\nhooks = false # for now\n');
    return { kind: 'obstacle', undo: () => rmSync(file) };
  },
  copilot(program) {
    const file = path.join(program.data, 'hooks', 'troupe.json');
    editJson(file, (settings) => {
      settings['disableAllHooks'] = true;
    });
    return {
      kind: 'off',
      undo: () => void program.troupe('hooks', 'install', '--host', 'copilot', '--guard', '--yes'),
    };
  },
};

/** For one run only: nothing in any settings shows it. */
const WITHOUT_HOOKS: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['--settings', '{"disableAllHooks":true}'],
  opencode: ['--pure'],
  codex: ['--config', 'features.hooks=false'],
};

const HOSTS: readonly (GuardedRecipe & { readonly variable: string })[] = [
  { ...CLAUDE, variable: 'TROUPE_CLAUDE_BIN' },
  { ...OPENCODE, variable: 'TROUPE_OPENCODE_BIN' },
  { ...OPENCODE_TWO, variable: 'TROUPE_OPENCODE_BIN' },
  ...RECIPES.map((recipe) => ({ ...recipe, variable: `TROUPE_${recipe.host.toUpperCase()}_BIN` })),
];

/** One list for OpenCode 1 and 2: each program is run as it wants to be. */
function programsOf({ variable, host, dialect }: (typeof HOSTS)[number]): readonly string[] {
  if (host !== 'opencode') return programsIn(variable);
  return opencodePrograms.filter((program) => isSecondProgram(program) === (dialect === 'opencode2'));
}

for (const recipe of HOSTS) {
  const { host } = recipe;
  for (const bin of programsOf(recipe))
    describe(`whether the guard works in ${host}: ${bin}`, () => {
      let program: GuardedProgram;
      beforeAll(async () => {
        program = await startGuarded(recipe, bin);
        program.setPolicy(POLICY);
        program.troupe('guard', 'check');
      }, 120_000);
      afterAll(() => program.close());

      it('is not yet seen before the first call, and active after it', async () => {
        expect(program.installed).toMatchObject({ code: 0 });
        expectUnproven(look(program, host));
        expect(await program.run('guarded-both')).toContain('main');
        expectActive(look(program, host), program.version);
      });

      // OpenCode 2 has no switch for plugins.
      it.runIf(WITHOUT_HOOKS[host] && recipe.dialect !== 'opencode2')(
        'is denied when the newest session was started without hooks',
        async () => {
          const args: HostRecipe['args'] = (...given) => [...recipe.args(...given), ...(WITHOUT_HOOKS[host] ?? [])];
          expect(await program.run('guarded-both', { bin, recipe: { ...recipe, args } })).not.toContain('main');
          expectNotLoaded(look(program, host), 'unheard');
          expect(await program.run('guarded-both')).toContain('main');
          expectActive(look(program, host), program.version);
        },
      );

      it.runIf(SWITCHES[host])(
        'is denied when the host is told to run no hooks, whatever was seen before',
        async () => {
          const { kind, undo } = SWITCHES[host]?.(program) ?? { kind: '', undo: () => undefined };
          expectNotLoaded(look(program, host), kind);
          expect(await program.run('guarded-both')).not.toContain('main');
          expect(program.log()).toEqual([]);
          undo();
          // The switch is gone; what is left is a session without a single call of the hook.
          const after = look(program, host);
          if (host !== 'copilot') expectNotLoaded(after, 'unheard');
          expect(await program.run('guarded-both')).toContain('main');
          expectActive(look(program, host), program.version);
        },
      );
    });
}
