// What a command printed whose whole answer is a secret: `pass show`, `vault kv get -field=…`, `… | base64 -d`.

import { at, lineEnd, lineStart, type OnValue } from './scan-text.ts';
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
];

const PRINTS =
  /^(?:sudo )?(?:[A-Z_]+=\S* )?(?:aws(?: --?\S+(?: \S+)?)? (?:ecr(?:-public)? get-login-password|codeartifact get-authorization-token|ssm get-parameters?\b.*--(?:query|output)|secretsmanager get-secret-value\b.*--query)|gcloud (?:beta )?secrets versions access|gcloud auth (?:application-default )?print-(?:access|identity)-token|(?:go)?pass show|(?:vault (?:kv get|read)\b.*-field)|op read|op item get\b.*--(?:fields|reveal)|security find-(?:generic|internet)-password\b.*-w|gh auth token|glab auth token|az account get-access-token\b.*tsv|az (?:\w+ )*keys list\b.*tsv|az keyvault secret show\b.*tsv|az acr credential show\b.*tsv|keyring get|secret-tool lookup|bw get (?:password|notes|totp)|lpass show\b.*--password|doppler secrets get\b.*--plain|infisical secrets get|heroku config:get|(?:terraform|tofu) output -raw \S*(?:pass|secret|token|key)|chamber read\b.*-q|kubectl(?: -\S+ \S+)? create token|oc whoami -t|argocd admin initial-password|openssl rand|pwgen|wg gen(?:psk|key)|conjur variable get|(?:kubectl|oc)(?: --?\S+(?: \S+)?){0,3}? get secrets?\b.*\|\s*base64 (?:-d|-D|--decode))/;

/** What may still follow behind a pipe: it hands on what it is given. */
const HANDS_ON = /^\s*(?:base64|tr|jq|head|tail|cut|awk|sed|tee|cat|xargs echo|grep|sort|less|more|openssl base64)\b/;

/** Whether all that a command prints is one secret. */
export function isPrintingSecret(command: string): boolean {
  if (
    !PRINTS.test(command) ||
    /[>&;]|\$\(|`/.test(command.replace(/2>\s?(?:&1|\/dev\/null)|['"][^'"]{0,200}['"]/g, ''))
  )
    return false;
  return command
    .split('|')
    .slice(1)
    .every((part) => HANDS_ON.test(part));
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

/** Not the message of an error, a path or what stands for a value. */
export const isPrinted = (value: string): boolean =>
  !isStandIn(value) &&
  !isReference(value) &&
  !isPathOrUrl(value) &&
  !/^(?:[A-Za-z]+:|\*+|[\d.]{1,5}|null|None)$/.test(value);
