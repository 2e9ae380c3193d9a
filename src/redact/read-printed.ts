// Secrets that commands and calls are given, and what a command printed whose whole answer is one: `pass show`, `… | base64 -d`.

import { looksMadeUp, strengthOf } from './read-nearby.ts';
import { at, LONGEST_LINE, lineEnd, lineStart, type OnValue } from './scan-text.ts';
import { kindOfSecretName } from './secret-names.ts';
import { isPathOrUrl, isReference, isStandIn } from './value-looks.ts';

/** Words of which one stands in every command below. */
export const PRINTING_KEYWORDS: readonly string[] = [
  'get-login-password',
  'get-authorization-token',
  'get-parameter',
  'get-secret-value',
  'versions access',
  'pass show',
  'pass ls',
  'pass -c',
  'base64 -d',
  'base64 --decode',
  'kv get',
  'vault read',
  'op read',
  'op item get',
  'find-generic-password',
  'find-internet-password',
  'auth token',
  'print-access-token',
  'print-identity-token',
  'get-access-token',
  'keys list',
  'secret show',
  'keyring get',
  'secret-tool lookup',
  'get password',
  'lpass show',
  'secrets get',
  'config:get',
  'output -raw',
  'chamber read',
  'create token',
  'initial-password',
  'openssl rand',
  'pwgen',
  'genpsk',
  'genkey',
  'variable get',
  'credential fill',
  'configure get',
  'printenv ',
  'echo $',
  'echo "$',
  '/run/secrets/',
];

const PRINTS =
  /^(?:sudo )?(?:[A-Z_]+=\S* )?(?:aws(?: --?\S+(?: \S+)?)? (?:ecr(?:-public)? get-login-password|codeartifact get-authorization-token|ssm get-parameters?\b.*--(?:query|output)|secretsmanager get-secret-value\b.*--query)|gcloud (?:beta )?secrets versions access|gcloud auth (?:application-default )?print-(?:access|identity)-token|(?:go)?pass show|(?:vault (?:kv get|read)\b.*-field)|op read|op item get\b.*--(?:fields|reveal)|security find-(?:generic|internet)-password\b.*-w|gh auth token|glab auth token|az account get-access-token\b.*tsv|az (?:\w+ )*keys list\b.*tsv|az keyvault secret show\b.*tsv|az acr credential show\b.*tsv|keyring get|secret-tool lookup|bw get (?:password|notes|totp)|lpass show\b.*--password|doppler secrets get\b.*--plain|infisical secrets get|heroku config:get|(?:terraform|tofu) output -raw \S*(?:pass|secret|token|key)|chamber read\b.*-q|kubectl(?: -\S+ \S+)? create token|oc whoami -t|argocd admin initial-password|openssl rand|pwgen|wg gen(?:psk|key)|conjur variable get|(?:kubectl|oc)(?: --?\S+(?: \S+)?){0,3}? get secrets?\b.*\|\s*base64 (?:-d|-D|--decode))/;

/** What may still follow behind a pipe: it hands on what it is given. */
const HANDS_ON = /^\s*(?:base64|tr|jq|head|tail|cut|awk|sed|tee|cat|xargs echo|grep|sort|less|more|openssl base64)\b/;

/** Whether all that a command prints is one secret. */
export function isPrintingSecret(command: string): boolean {
  if (
    !(PRINTS.test(command) || isShowing(command)) ||
    /[>&;]|\$\(|`/.test(command.replace(/2>\s?(?:&1|\/dev\/null)|['"][^'"]{0,200}['"]/g, ''))
  )
    return false;
  return command
    .split('|')
    .slice(1)
    .every((part) => HANDS_ON.test(part));
}

/** `printenv DB_PASSWORD`, `echo $DB_PASSWORD`, `cat /run/secrets/db`, also in a container or elsewhere. */
function isShowing(command: string): boolean {
  const said =
    /(?:^|\s)(?:printenv |echo ["']?\$\{?|aws configure get )(\w{2,60})\}?["']?$|(?:^|\s)cat \/(?:var\/)?run\/(secrets)\/[\w.-]{1,60}$/.exec(
      command,
    );
  return said !== null && (said[2] !== undefined || kindOfSecretName(said[1] as string) === 'sure');
}

const PROMPT = /^\s*(?:[^\n$#%❯>]{0,80}[$#%❯>] |\+ )/;

/** `hit`: at a word of such a command. Reads the line below it. */
export function readPrinted(text: string, hit: number, onValue: OnValue): number {
  const start = lineStart(text, hit);
  const end = lineEnd(text, hit);
  const line = text.slice(start, end);
  const prompt = PROMPT.exec(line)?.[0];
  if (prompt === undefined || !isPrintingSecret(line.slice(prompt.length))) return hit + 1;
  const answer = at(/\r?\n["']?([^\s"']{6,4000})["']?[ \t]*(?=\r?\n|$)/y, text, end);
  const value = answer?.[1];
  if (answer && value !== undefined && isPrinted(value)) {
    const from = end + answer[0].indexOf(value);
    onValue(from, from + value.length);
  }
  return end;
}

/** `hit`: at words for codes that get somebody in again. Reads the codes on the lines below. */
export function readCodes(text: string, hit: number, onValue: OnValue): number {
  let from = lineEnd(text, hit) + 1;
  let read = 0;
  for (let count = 0; count < 24 && from < text.length; count++) {
    const end = lineEnd(text, from);
    const line = text.slice(from, Math.min(end, from + 200));
    const codes = CODES.exec(line)?.[1];
    if (codes !== undefined && /\d/.test(codes)) {
      read++;
      const start = from + line.indexOf(codes);
      onValue(start, start + codes.length);
    } else if (read > 0 || count > 2 || /\S/.test(line)) break;
    from = end + 1;
  }
  return hit + 1;
}

const CODES =
  /^\s{0,12}(?:[-*>•] |\d{1,2}[.):] )?[`*]{0,3}((?:\d{3,6}(?:[ -]\d{3,6}){1,3}|\d{6,12}|[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){1,4}|(?=[a-z]*\d)[a-z0-9]{8,16})(?:[ \t]{1,6}(?:\d{3,6}-\d{3,6}|\d{6,12}|[a-z0-9]{4,8}-[a-z0-9]{4,8}))*)[`*]{0,3}\s*$/i;

/** Not the message of an error, a path or what stands for a value. */
export const isPrinted = (value: string): boolean =>
  !isStandIn(value) &&
  !isReference(value) &&
  !isPathOrUrl(value) &&
  !/^(?:[A-Za-z]+:|\*+|[\d.]{1,5}|null|None)$/.test(value);

const STORES =
  /\b(?:secrets?|keyvault|vault|kv|ssm|secretsmanager|credentials?|passwords?|passwd|add-authtoken|authtoken|alias)\b[^\n]{0,80}\b(?:set|put|create|add|write|update|import|store|new|config|change|reset)\b|\b(?:set|put|create|add|write|update|import|store|new|config(?::set)?|secretsmanager|ssm)\b[^\n]{0,60}(?:\bsecrets?\b|-secret|SecureString|secret-value|authtoken|credentials?\b|--secret|put-parameter)|-AsPlainText|\bluks(?:Format|Open|AddKey)\b|\bnet use\b|\blftp -u\b|add-(?:generic|internet)-password|\bopenssl passwd\b|--password-command|\bchpasswd\b|mc alias set|kv put|\b(?:add_user|change_password|setapikey|upwd|encrypt_string|unlock|env:set)\b/i;
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
  readOptions(command, start, onValue);
  readPiped(command, start, onValue);
  const isStoring = STORES.test(command) || LOGS_IN.test(command);
  if (!isStoring && !/ config\b/.test(command)) return end;
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
    if (strengthOf(value) > (isStoring ? 0 : 1)) onValue(start + match.index, start + match.index + value.length);
  }
  return end;
}

/** `-p X`, `--auth X`, `<<< X`, `$(echo X)`: what a command takes as a password. */
const OPTION =
  /(?:\s(?:-D[\w.]{0,40}(?:login|token|password|key|secret)=|--?(?:[a-z]+[-_]?){0,3}(?:auth\w{0,12}|pass\w{0,10}|pwd|pw|pin|key|secret|token|encrypt|credentials?)[ =:]|-[pkwash][ =:]|-h?p(?=[^\s]{0,40}\d)|\/(?:r?p|pw|pass\w{0,5})[ :]|-u [\w.@\\/-]{1,40}[,%:]|\w{0,20}_pw )|<<< ?|\s-u (?=[^\s:]{16,200}:["'\s])|\$\(echo |-password-command[ =]["']?(?:echo|printf) |<\((?:echo|printf) )["']?([^\s"'`|;&()<>]{7,200})/gi;

function readOptions(command: string, start: number, onValue: OnValue): void {
  for (const match of command.matchAll(OPTION)) {
    const value = (match[1] as string).replace(/:$/, '');
    if (!looksMadeUp(value) || /^[\w.-]+:[\w./-]+$|^[a-z]\w*[-_]\w+[-_]\w*[a-z]\w*$/.test(value)) continue;
    const from = start + match.index + match[0].length - (match[1] as string).length;
    onValue(from, from + value.length);
  }
}

/** `echo X | kinit ann`: what a command is given, unless that computes with it. */
const PIPED =
  /(?:echo|printf)(?: -\w{1,3})? ["']?(?:%s(?:\\n)?["']? ["']?)?(?:[\w.@-]{1,30}:)?([^\s"'|\\]{7,100})(?:\\n[^\s"'|]{0,100})?["']? ?\| ?(?!(?:base(?:64|32)|\w*sum|openssl|xxd|od|rev|tr|cut|sed|awk|grep|jq|wc|head|tail|sort|hexdump|bc|tee|xargs|cat|gzip|md5|sha\d+)\b)[a-z]/g;

function readPiped(command: string, start: number, onValue: OnValue): void {
  for (const match of command.matchAll(PIPED)) {
    const value = match[1] as string;
    if (!looksMadeUp(value)) continue;
    const from = start + match.index + match[0].indexOf(value);
    onValue(from, from + value.length);
  }
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
    const isFirst = /^\($/.test(inside.slice(0, match.index).trim());
    if (
      strengthOf(value) === 0 ||
      (isFirst &&
        /^\s*,/.test(inside.slice(match.index + match[0].length)) &&
        !/^(?:aes|twilio)/i.test(text.slice(hit, hit + 8)))
    )
      continue;
    const start = from + match.index + match[0].length - 1 - value.length;
    onValue(start, start + value.length);
  }
  return from + 1;
}
