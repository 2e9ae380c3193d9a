// Secrets beside words about secrets: in a sentence, in a command that stores one or logs in, in a call that connects.
// Their own look has to tell them from the other words of the line.

import { isMadeOfWords } from './rule.ts';
import { LONGEST_LINE, lineEnd, lineStart, type OnValue } from './scan-text.ts';
import { strengthOf } from './value-looks.ts';

/** Marks of code, data, markup and logs: what has names there is read by its names. */
const NO_PROSE =
  /[{};]\s*$|=>|\(\)|\w\(["'\w]|<\/|::|&&|\|\||[!=]=|\s[:+]?=\s|["']:\s|\w=["'\w]|^\s*(?:import|from|const|let|var|return|if|for|def|func|function|class|pub|use|#include|#define|@\w+)\b.*[({=]|\b(?:INFO|DEBUG|WARN|ERROR|TRACE)\b|\d\d:\d\d:\d\d|^\s*(?:[|+]|(?:import|package|public|private|protected|static|final)\s)|\{@\w|["'][,:]["'{[\d]|\bsha\d|\.\w+\(/;
const WORD = /\p{L}{2,}/gu;
const CJK = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
/** What holds a candidate: no spaces, quotes, or brackets around it. */
const CANDIDATE = /[^\s"'`“”„«»「」『』<>()[\]{}，。；、：,;|*\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{7,200}/g;
const FARTHEST = 90;
/** What is said about values in general. */
const ABOUT_VALUES =
  /\b(?:format|regex|pattern|prefix|e\.g\.|commit|hash(?:ed|es)?|checksum|version|example|placeholder|max_tokens|tokens? (?:used|per|count|limit))\b/i;

/** `hit`: a word that names secrets. Reads the line around it, once. */
export function readSentence(text: string, hit: number, onValue: OnValue): number {
  if (isWithinName(text, hit)) return hit + 1;
  const start = lineStart(text, hit);
  const end = Math.min(lineEnd(text, hit), hit + LONGEST_LINE);
  const line = text.slice(start, end);
  if (!/\d/.test(line) || NO_PROSE.test(line) || ABOUT_VALUES.test(line)) return end;
  if ((line.match(WORD)?.length ?? 0) < 3 && !CJK.test(line)) return end;
  for (const match of line.matchAll(CANDIDATE)) {
    const from = start + match.index;
    if (Math.abs(from - hit) > FARTHEST) continue;
    // `login with bob:…`
    const pair = /^[\w.@-]{2,30}:(?=.{7})(?!\/)/.exec(match[0])?.[0].length ?? 0;
    const value = match[0].slice(pair).replace(/[.,:_]+$/, '');
    if (isApart(text, hit, from) && strengthOf(value) > 0 && !(/[-/_]/.test(value) && isMadeOfWords(value)))
      onValue(from + pair, from + pair + value.length);
  }
  return end;
}

/** Of code, of a branch, in base64, or in what stands for something that was redacted before. */
function isWithinName(text: string, hit: number): boolean {
  if (CJK.test(text[hit] ?? '')) return false;
  if (/\[(?:masked|redacted)[ :][\w-]*$/.test(text.slice(Math.max(0, hit - 60), hit))) return true;
  const before = /[^\s"'`*(>“«„]*$/.exec(text.slice(Math.max(0, hit - 40), hit))?.[0] ?? '';
  return !/^\p{L}{0,24}-?$/u.test(before) || (/\p{Ll}$/u.test(before) && /\p{Lu}/u.test(text[hit] ?? ''));
}

/** Not across the end of a sentence. */
function isApart(text: string, one: number, other: number): boolean {
  return !/[.!?] [A-Z]|[。！？]/.test(text.slice(Math.min(one, other), Math.max(one, other)));
}

const STORES =
  /\b(?:secrets?|keyvault|vault|kv|ssm|secretsmanager|credentials?|passwords?|passwd|add-authtoken|authtoken|alias)\b[^\n]{0,80}\b(?:set|put|create|add|write|update|import|store|new|config|change|reset)\b|\b(?:set|put|create|add|write|update|import|store|new|config(?::set)?|secretsmanager|ssm)\b[^\n]{0,60}(?:\bsecrets?\b|-secret|SecureString|secret-value|authtoken|credentials?\b|--secret|put-parameter)|-AsPlainText|\bluks(?:Format|Open|AddKey)\b|\bnet use\b|\blftp -u\b|add-(?:generic|internet)-password|\bopenssl passwd\b|--password-command|\bchpasswd\b|mc alias set|kv put/i;
const LOGS_IN =
  /(?:^|[;|&(]|\$ )\s*(?:sudo )?[a-z][\w.-]{1,20}(?: [a-z-]{2,20})? (?:login|auth|signin|logon|unlock|authenticate|init)\b/i;

/** `hit`: a word of commands that store secrets. Reads the line, and the one after it if that is its input. */
export function readStoring(text: string, hit: number, onValue: OnValue): number {
  const start = lineStart(text, hit);
  let end = Math.min(lineEnd(text, hit), hit + LONGEST_LINE);
  const line = text.slice(start, end);
  if (/<<-?\s*["']?\w+["']?\s*$/.test(line)) end = Math.min(lineEnd(text, end + 1), end + 300);
  const command = text.slice(start, end);
  if (!/\d/.test(command) || !/(?:^|[\s/"'`$>(&|;])[a-z][\w.-]* /i.test(command)) return end;
  if (!STORES.test(command) && !LOGS_IN.test(command)) return end;
  // Programs name their own things.
  if (/[{}]|=>|\(\)|;\s*$|\b(?:get|list|describe|delete|rm|show|rotate)\b/.test(line.replace(/\$\{?\w+\}?/g, '')))
    return end;
  for (const match of command.matchAll(/(?:^|(?<=[\s"'=,:]))[^\s"'`=|;()<>,]{7,200}(?=$|["'\s|;),])/g)) {
    const value = match[0].replace(/[.,]$/, '');
    // Options, times, names of images and resources.
    if (
      /^-|:\d+$|^[a-z][a-z0-9]*(?:[-._/][a-z0-9]+)+(?::[\w.-]+)?$/.test(value) &&
      !/^[a-z]+(?:\.[a-z]+)+\.\d+$/.test(value)
    )
      continue;
    if (strengthOf(value) > 0) onValue(start + match.index, start + match.index + value.length);
  }
  return end;
}

const LITERAL = /[bfr]?(["'])([^"'\n]{7,100})\1/g;

/** `hit`: the name of a call that connects or logs in. Reads the strings it is given. */
export function readCall(text: string, hit: number, onValue: OnValue): number {
  const open = text.slice(hit, hit + 40).indexOf('(');
  if (open < 0) return hit + 1;
  const from = hit + open;
  const inside = /^\((?:[^()\n]|\([^()\n]{0,60}\)){0,240}/.exec(text.slice(from, from + 260))?.[0] ?? '';
  for (const match of inside.matchAll(LITERAL)) {
    const value = match[2] as string;
    // `connect("host", port)`: an address before others is none.
    if (strengthOf(value) === 0 || /^\($/.test(inside.slice(0, match.index).trim())) continue;
    const start = from + match.index + match[0].length - 1 - value.length;
    onValue(start, start + value.length);
  }
  return from + 1;
}
