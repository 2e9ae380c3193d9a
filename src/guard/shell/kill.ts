// What `kill`, `pkill` and the like may end: jobs of the same line and programs that are named, or the server and the hooks of troupe, too.

import { inside, type Scene } from './scene.ts';
import { isUnsure, type ShellWord } from './words.ts';

/** Command lines of troupe and of what calls it: a pattern that fits one of them ends it. */
const OURS: readonly string[] = [
  'troupe',
  'node /opt/troupe/dist/troupe.js serve',
  'node /home/dev/.npm/node_modules/troupe/dist/troupe.js server run',
  'sh /home/dev/.local/state/troupe/hooks/guard.sh',
];
const NAMES: ReadonlySet<string> = new Set(['troupe', 'node', 'sh']);

const STOPS: readonly ShellWord[] = ['troupe', 'server', 'stop'].map((word) => ({ form: word, text: word }));

/** It looks, and ends nothing. */
const ONLY_LOOKS = /^(?:-0|-l|-L|--list|--table|--help|--version|-V)$/;
const OWN_JOB = /^"?(?:%\S*|\$!|\$\$|\$BASHPID|\$PPID|\$\(jobs -\w*p\w*\)|\$\{!\}|\$\{?COPROC_PID\}?)"?$/;

/** Servers that somebody develops listen below it; which port ours has is chosen by the system, or in its settings. */
const FIRST_CHOSEN_PORT = 10_000;

/** Allows need not look inside: nothing is run. */
export function runKill(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const args = words.slice(1);
  if (args.some(({ form }) => ONLY_LOOKS.test(form))) return false;
  const mayHit = name === 'kill' ? targetsOf(args).some((target) => !isOther(target, scene)) : mayHitByName(name, args);
  if (!mayHit) return false;
  // Nobody can say before it runs whose process that is.
  const text = words.map((word) => word.text).join(' ');
  scene.gathering.suspect(() => scene.runner.runWords(STOPS, inside(scene, text, -1)));
  return false;
}

/** Behind the signal: `-9`, `-TERM`, `-s KILL`. */
function targetsOf(args: readonly ShellWord[]): readonly ShellWord[] {
  const targets: ShellWord[] = [];
  let hasSignal = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as ShellWord;
    if (/^-(?:s|n|-signal)$/.test(word.form)) {
      hasSignal = true;
      at++;
    } else if (word.form === '--') hasSignal = true;
    else if (!hasSignal && /^-/.test(word.form)) hasSignal = true;
    else targets.push(word);
  }
  return targets;
}

/** A job of this line, or what is found by something that is not ours. */
function isOther({ form, text }: ShellWord, scene: Scene): boolean {
  if (OWN_JOB.test(text)) return true;
  // What is in a file of the project is not looked into.
  if (/^"?\$\((?:cat\s+|<\s*)(?!\S*troupe)[\w][\w./-]*\.pid\)"?$/.test(text)) return true;
  if (!isUnsure(form)) return form.startsWith('%');
  const [, variable] = /^"?\$\{?(\w+)\}?"?$/.exec(text) ?? [];
  if (variable !== undefined) return new RegExp(`\\b${variable}=("?)\\$!\\1(?![\\w])`).test(scene.code);
  // `kill $(lsof -ti:3000)`, `lsof -ti:3000 | xargs kill`, and the same with pgrep.
  const source = /^"?(?:\$\(|`)/.test(text) ? text : scene.code;
  const [, port] = /\b(?:lsof|fuser)\b[^|;&]*?(?:[:\s]|(?<=-\w*i))(\d{2,5})(?:\/tcp)?\b/.exec(source) ?? [];
  if (port !== undefined) return Number(port) < FIRST_CHOSEN_PORT;
  const [, given = ''] = /\bpgrep\s+(?:-\w+\s+)*(?:--\s+)?("[^"$`]*"|'[^']*'|[^\s$`|;&)"']+)/.exec(source) ?? [];
  return given !== '' && !fitsOurs(given.replace(/^["']|["']$/g, ''), true);
}

/** `pkill -f pattern`, `killall name`, `fuser -k 3000/tcp`. */
function mayHitByName(name: string, args: readonly ShellWord[]): boolean {
  const forms = args.map(({ form }) => form);
  if (name === 'fuser') {
    if (!forms.some((form) => /^-\w*k|^--kill$/.test(form))) return false;
    const [, port] = /(?:^|\s)(\d{2,5})\/tcp\b/.exec(forms.join(' ')) ?? [];
    return port === undefined || Number(port) >= FIRST_CHOSEN_PORT;
  }
  const has = (option: RegExp): boolean => forms.some((form) => option.test(form));
  const isWhole = name === 'pkill' && has(/^-\w*f|^--full$/);
  const isExact = name === 'killall' && !has(/^-[a-zA-Z]*r|^--regexp$/);
  const fold = (form: string): string => (has(/^-[a-zA-Z]*I|^--ignore-case$/) ? form.toLowerCase() : form);
  const plain = targetsByName(forms);
  return plain.length === 0 || plain.some((form) => isUnsure(form) || fitsOurs(fold(form), isWhole, isExact));
}

function targetsByName(forms: readonly string[]): readonly string[] {
  return forms.filter(
    (form, at) =>
      !form.startsWith('-') &&
      !/^-(?:s|u|U|g|G|P|t|o|y|-signal|-user|-older-than|-younger-than)$/.test(forms[at - 1] ?? ''),
  );
}

function fitsOurs(pattern: string, isWhole: boolean, isExact = false): boolean {
  if (isExact) return NAMES.has(pattern);
  try {
    const fits = new RegExp(pattern, 'i');
    return isWhole ? OURS.some((line) => fits.test(line)) : [...NAMES].some((one) => fits.test(one));
  } catch {
    return true;
  }
}
