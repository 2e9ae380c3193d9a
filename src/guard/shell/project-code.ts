// Code of the project that other programs look up by a name: scripts of package.json, recipes of makefiles. Read as commands of a shell.

import { joinPath, writtenText } from './paths.ts';
import type { Scene } from './scene.ts';
import { isUnsure, type ShellWord } from './words.ts';

const MAX_TEXT = 64 * 1024;
/** Scripts that run scripts. */
const MAX_SCRIPTS = 3;

/** `npm run X`, `make X`: what package.json and a simple makefile say of it, read as commands of a shell. */
export function runTargets(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { context, cwds, isElsewhere, wrappers, gathering } = scene;
  const { readScript, scripts = [] } = context;
  if (readScript === undefined || isElsewhere || scripts.length === MAX_SCRIPTS) return;
  const isMake = /^g?make$/.test(name);
  const optionOf = (option: RegExp): string | undefined => {
    const at = words.findIndex(({ form }) => option.test(form));
    const [, attached] = option.exec(words[at]?.form ?? '') ?? [];
    return at < 0 ? undefined : attached || words[at + 1]?.form;
  };
  const folder = optionOf(isMake ? MAKE_FOLDER : PACKAGE_FOLDER) ?? '.';
  const files = isMake ? [optionOf(MAKE_FILE) ?? []].flat() : ['package.json'];
  if (isUnsure(folder)) return;
  for (const cwd of cwds ?? []) {
    const place = joinPath(cwd, folder);
    for (const file of files.length > 0 ? files : MAKEFILES) {
      const path = joinPath(place, file);
      const text = isUnsure(file) || writtenText(path, scene) !== undefined ? null : readScript(path);
      if (text === null || text.length > MAX_TEXT) continue;
      for (const [target, code] of isMake ? recipesOf(text, words) : scriptsOf(text, name, words)) {
        const key = `${path}:${target}`;
        if (scripts.includes(key)) continue;
        const uses = scene.runner.analyse(code, { ...context, cwd: place, scripts: [...scripts, key] });
        gathering.addScript(uses, `${name} ${target}`, wrappers);
      }
      break;
    }
  }
}

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MAKE_FOLDER = /^(?:-[a-zA-Z]*C|--directory(?:=|$))(.*)$/s;
const MAKE_FILE = /^(?:-[a-zA-Z]*f|--(?:make)?file(?:=|$))(.*)$/s;
const PACKAGE_FOLDER = /^(?:-C|--(?:prefix|cwd|dir)(?:=|$))(.*)$/s;
const NPM_VERBS: Readonly<Record<string, string>> = {
  t: 'test',
  tst: 'test',
  test: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
};
/** With these, scripts of a name of their own run. */
const NPM_EVENTS: Readonly<Record<string, readonly string[]>> = {
  install: ['preinstall', 'install', 'postinstall', 'prepare'],
  i: ['preinstall', 'install', 'postinstall', 'prepare'],
  ci: ['preinstall', 'install', 'postinstall', 'prepare'],
  publish: ['prepublishOnly', 'prepare', 'prepack', 'postpack', 'publish', 'postpublish'],
  pack: ['prepare', 'prepack', 'postpack'],
  version: ['preversion', 'version', 'postversion'],
};

function scriptsOf(text: string, name: string, words: readonly ShellWord[]): readonly (readonly [string, string])[] {
  let scripts: unknown;
  try {
    scripts = (JSON.parse(text) as { readonly scripts?: unknown } | null)?.scripts;
  } catch {
    return [];
  }
  if (typeof scripts !== 'object' || scripts === null) return [];
  const texts = scripts as Readonly<Record<string, unknown>>;
  const end = words.findIndex(({ form }) => form === '--');
  const own = words.slice(1, end < 0 ? undefined : end);
  const plain = own.filter(
    ({ form }, index) => !form.startsWith('-') && !PACKAGE_VALUE.test(own[index - 1]?.form ?? ''),
  );
  const [first, second] = plain.map(({ form }) => form);
  if (first === undefined) return [];
  const isRun = /^(?:run|run-script|rum|urn|exec)$/.test(first);
  const said = isRun
    ? second
    : (NPM_VERBS[first] ?? (name === 'npm' || Object.hasOwn(NPM_EVENTS, first) ? undefined : first));
  const wanted = said === undefined ? (isRun ? [] : (NPM_EVENTS[first] ?? [])) : [`pre${said}`, said, `post${said}`];
  return wanted.flatMap((key) => {
    const code = Object.hasOwn(texts, key) ? texts[key] : undefined;
    const behind = key === said ? words.slice(end < 0 ? words.length : end + 1) : [];
    return typeof code === 'string' ? [[key, [code, ...behind.map(quoted)].join(' ')] as const] : [];
  });
}

const PACKAGE_VALUE = /^(?:-C|-w|--(?:prefix|cwd|dir|workspace|filter|loglevel))$/;

function quoted({ form }: ShellWord): string {
  return /^[\w./:=@,+-]+$/.test(form) ? form : `'${form.replace(/[\uE000-\uE04F]/g, 'x').replaceAll("'", '')}'`;
}

/** Of a makefile whose recipes are lines with a tab: those of the goals, and of what these need. Variables stay what they are. */
function recipesOf(text: string, words: readonly ShellWord[]): readonly (readonly [string, string])[] {
  const rules = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  const variables = new Map<string, string>();
  let open: string[][] = [];
  let first: string | undefined;
  for (const line of text.replace(/\\\n\s*/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      for (const lines of open) lines.push(line.slice(1));
      continue;
    }
    const [, variable, value = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*(?:::?|\?|\+)?=\s*(.*)$/.exec(line) ?? [];
    if (variable !== undefined) variables.set(variable, value.replace(/\s+#.*$/, ''));
    const [, targets, needs = ''] =
      variable === undefined ? (/^([^\s#:=][^:=#]*?)\s*::?(?!=)\s*([^#]*)/.exec(line) ?? []) : [];
    if (targets === undefined) {
      if (/^\S/.test(line) && !line.startsWith('#')) open = [];
      continue;
    }
    const [needed = '', recipe] = needs.split(/;(.*)/s);
    open = targets.split(/\s+/).map((target) => {
      const lines = [...(rules.get(target)?.lines ?? []), ...(recipe === undefined ? [] : [recipe])];
      rules.set(target, { needs: [...(rules.get(target)?.needs ?? []), ...needed.split(/\s+/)], lines });
      return lines;
    });
    if (!targets.startsWith('.')) first ??= targets.split(/\s+/)[0];
  }
  const goals = words
    .slice(1)
    .map(({ form }) => form)
    .filter((form, index) => !/^-|=/.test(form) && !MAKE_VALUE.test(words[index]?.form ?? ''));
  const wanted = goals.length > 0 ? goals : [first ?? ''];
  for (const target of wanted)
    for (const need of rules.get(target)?.needs ?? []) if (!wanted.includes(need)) wanted.push(need);
  return wanted.flatMap((target) => {
    const lines = rules.get(target)?.lines ?? [];
    return lines.length === 0 ? [] : [[target, lines.map((line) => shellOf(line, variables)).join('\n')] as const];
  });
}

const MAKE_VALUE = /^-[a-zA-Z]*[CfIoW]$|^--(?:directory|file|makefile|include-dir)$/;

function shellOf(line: string, variables: ReadonlyMap<string, string>): string {
  let code = line.replace(/^[@+\s-]+/, '');
  for (let depth = 0; depth < 4; depth++)
    code = code.replace(
      /\$[({]([\w.-]+)[)}]/g,
      (whole, name: string) => variables.get(name) ?? (name === 'MAKE' ? 'make' : whole),
    );
  return code.replace(/\$[({][^(){}]*[)}]|\$[@<^?*+%]/g, 'x').replaceAll('$$', '$');
}
