// Secrets that commands and calls are given, and what a command printed whose whole answer is one: `pass show`, `… | base64 -d`.

import { looksMadeUp, strengthOf } from './read-nearby.ts';
import { WORD_OF_STATE } from './read-value.ts';
import { LONGEST_LINE, lineEnd, lineStart, type OnValue } from './scan-text.ts';
import { kindOfSecretName } from './secret-names.ts';
import { isOrdinary, isPassphrase, isPathOrUrl, isReference, isStandIn, looksRandom } from './value-looks.ts';

/** Words of which one stands in every command that counts below: names of secrets, and of what makes them. */
export const PRINTING_KEYWORDS: readonly string[] = [
  'pass',
  'pwd',
  '_pw',
  'secret',
  'token',
  'cred',
  'psk',
  'api_key',
  'apikey',
  'api-key',
  'app.key',
  'appkey',
  'private_key',
  'signing_key',
  'base64 -',
  'kv get',
  'vault read',
  'op read',
  'op item get',
  'get-parameter',
  'keys list',
  'keyring get',
  'config:get',
  'output -raw',
  'genpsk',
  'genkey',
  'gen_key',
  'generate_key',
  'generatekey',
  'key:generate',
  'whoami -t',
  'login:ci',
  'variable get',
  'rand -',
  'rand(',
  'urandom',
  '/random',
  'randombytes',
  'random_',
  'random-',
  'securerandom',
  'pwgen',
  'apg ',
  'diceware',
  '.age',
  'privatekey',
  'master.key',
  'private.key',
  'gpg ',
];

/** Commands all of whose answer is a secret, or which answers with one in its first line. */
const PRINTS =
  /^(?:aws(?: --?\S+(?: \S+)?)? (?:ecr(?:-public)? get-login-password|codeartifact get-authorization-token|ssm get-parameters?\b.*--(?:query|output)|secretsmanager get-secret-value\b.*--query|\S.* create-access-key\b.*--query|configure get \S*(?:secret|token))|gcloud (?:beta )?secrets versions access|gcloud auth (?:application-default )?print-(?:access|identity)-token|(?:go)?pass (?:show )?(?!insert|edit|generate|git|rm|ls|init|find|grep|mv|cp|otp|help|version|the\b|a\b)(?=\S*\/)[\w./@-]+|(?:go)?pass show|(?:vault|bao) (?:kv get|read|print|login)\b.*(?:-field|token)|op read|op item get\b.*--(?:fields|reveal)|security find-(?:generic|internet)-password\b.*-w|\w+ auth (?:print-)?token|az account get-access-token\b.*tsv|az (?:\w+ )*keys list\b.*tsv|az keyvault secret show\b.*tsv|az acr credential show\b.*tsv|keyring get|secret-tool lookup|bw get (?:password|notes|totp)|rbw get|lpass show\b.*--password|doppler secrets get\b.*--plain|infisical secrets get|\w+ secrets? (?:get|show|reveal|view|read|decrypt|print)|heroku config:get|chamber read\b.*-q|kubectl(?: -\S+ \S+)? create token|(?:oc|kubectl) whoami -t|\w+ login:ci|argocd admin initial-password|conjur variable get|(?:kubectl|oc)(?: --?\S+(?: \S+)?){0,3}? get secrets?\b.*\.data\b|age (?:-d|--decrypt)\b|gpg\b.*(?:-d|--decrypt)\b|sops (?:-d|--decrypt|decrypt)\b.*--extract|systemd-creds (?:cat|decrypt))/;

/** What draws a secret. */
const DRAWS =
  /\bopenssl rand\b|\b(?:pwgen|apg|diceware|xkcdpass|makepasswd|genpass|mkpasswd)\b|\bwg gen(?:psk|key)\b|\/dev\/u?random\b|\btoken_(?:hex|urlsafe|bytes)\(|\brandom[_]?[bB]ytes\(|SecureRandom|\bgenerate_?key\(|generateKey(?:Sync)?\(|\bgen_?salt\b|gen\.secret|key:generate\b.*--show|\brails secret\b|\b(?:gpg|gpg2) --gen-random\b|\bbcrypt\.gensalt|get_random_secret_key|RandomNumberGenerator|random_(?:bytes|password)\b|getRandomValues|GeneratePassword|\bkeepassxc-cli (?:generate|diceware)|\bbw generate\b|\bop generate\b|\bpass generate\b|\bkeygen (?:--show|-s)\b|crypto\/rand|\bSecret::generate|\bnanoid\(/;

/** Programs that list, count, sum up, build and test: what they print about a secret is none. */
const TELLS_ABOUT =
  /^(?:ls|find|fd|wc|stat|file|du|df|tree|sha\w*sum|sha\w*|md5\w*|cksum|b2sum|shasum|git|npx|yarn|pnpm|bun|deno|vitest|jest|pytest|cargo|go|make|mvn|gradle|tsc|eslint|biome|mkdir|touch|rm|cp|mv|chmod|chown|ln|cd|export|unset|test|\[|which|type|command|man|help|kill|ps|top|grep|rg|ag|ack|egrep|fgrep|diff|cmp|tar|zip|unzip|date|sleep|for|while|if|sort|uniq|htpasswd|passwd|id|whoami|hostname|basename|dirname|realpath|readlink|dig|nslookup|apt|apt-get|pip|pip3|brew|dpkg|rpm|locale|troupe|claude|codex|gemini|qwen|opencode|copilot)$/;
/** Of these, what shows a value all the same. */
const TELLS_IT =
  /^(?:git (?:config|credential|show \S+:)|(?:e|f)?grep .*-\w*o|rg .*-\w*o|sort|uniq|go run|deno eval|bun -[ep])/;
/** What hands on what it is given. */
const HANDS_ON =
  /^(?:base64|base32|basenc|tr|jq|yq|head|tail|cut|awk|gawk|sed|tee|cat|xargs(?: -\w+)* echo|sort|less|more|openssl (?:base64|enc)|xxd|od|hexdump|fold|uniq|tac|rev|pbcopy|grep|rg|node|python3?|ruby|perl|php|column|paste|shuf|dd|strings|gunzip|zcat|xmllint|dasel|gron|pup|fx|dos2unix|iconv|uuencode)\b/;

const PREFIX =
  /^(?:(?:sudo|env|time|command|exec|nohup|doas|winpty|stdbuf|timeout \S+|sudo -\S+(?: \w+)?) |[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*) )+/;
/** Names of files that hold a program or a text for readers say nothing of what is in them. */
const SOURCE_FILE =
  /[\w./@-]*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|php|cs|cpp|c|h|hpp|sh|bash|md|rst|html?|css|s[ac]ss|vue|svelte|sql|lock|log|csv|svg|png|test|spec|ipynb|d|map|pub|crt|cer|patch|diff|tf|proto|mdx|adoc|scala|ex|exs|lua|zig|dart|gradle|lean)(?![\w.])/g;

/** The last statement of a line of a shell, its stages between pipes. Quotes keep theirs. */
function stagesOf(line: string): readonly string[] {
  const stages: string[] = [];
  let from = 0;
  let quoted = '';
  for (let place = 0; place < line.length; place++) {
    const mark = line[place] as string;
    if (mark === '\\') place++;
    else if (quoted !== '') quoted = mark === quoted ? '' : quoted;
    else if (mark === '"' || mark === "'") quoted = mark;
    else if (mark === ';' || mark === '\n' || ((mark === '&' || mark === '|') && line[place + 1] === mark)) {
      if (/^[;&|\s]*(?:(?:echo|true|exit(?: 0)?)(?: ['"]{2})?\s*)?$/.test(line.slice(place))) {
        stages.push(line.slice(from, place).trim());
        return stages.map(bareStage);
      }
      stages.length = 0;
      from = place + (mark === line[place + 1] ? 2 : 1);
      if (mark === line[place + 1]) place++;
    } else if (mark === '|') {
      stages.push(line.slice(from, place).trim());
      from = place + 1;
    }
  }
  stages.push(line.slice(from).replace(/;\s*$/, '').trim());
  return stages.map(bareStage);
}

const bareStage = (stage: string): string => stage.replace(PREFIX, '').replace(/\s2>\s?(?:&1|\/dev\/null)/g, '');

/** `drawn`: any words; `told`: any value; `likely`: what looks like one. */
type Printing = 'drawn' | 'told' | 'first' | 'likely' | undefined;

const MAY_PRINT =
  /pass|pwd|_pw|secret|token|cred|psk|key|base64|kv get|vault|op (?:read|item)|get-param|config:get|output|whoami -t|login:ci|variable get|rand|pwgen|apg |diceware|\.age|gpg |\bpin\b|mdp|kennwort|senha|clave|auth|jwt/i;

/** Whether what a command prints is a secret: it draws one, asks a store for one, or one of its words names one. */
function printingOf(command: string): Printing {
  if (!MAY_PRINT.test(command)) return undefined;
  const stages = stagesOf(command);
  const [first = '', ...others] = stages;
  // What goes into a file or a variable is not printed.
  if (
    /(?:^|[^<\d&=-])>{1,2}\s?(?!&)[\w./~$"-]|^[A-Za-z_]\w*=/.test(first.replace(/'[^']*'|"[^"]*"/g, 'Q')) &&
    !/\/dev\/stdout/.test(first)
  )
    return undefined;
  if (/>{1,2}\s?[\w./~$"]/.test((others.at(-1) ?? '').replace(/'[^']*'|"[^"]*"/g, 'Q'))) return undefined;
  if (
    !others.every((stage) => HANDS_ON.test(stage)) ||
    others.some((stage) => /^(?:grep|rg)\b.*\s-\w*[clLq]/.test(stage))
  )
    return undefined;
  const all = stages.join(' | ');
  if (
    DRAWS.test(all) &&
    !/\b(?:cat|sed|head|tail|grep|rg|git)\b(?![^|]*\/dev\/)[^|]*\.\w/.test(first) &&
    !/-out\b/.test(first)
  )
    return 'drawn';
  if (/^(?:go)?pass (?:show )?\S*\/?/.test(first) && PRINTS.test(first)) return others.length > 0 ? 'told' : 'first';
  if (PRINTS.test(first)) return 'told';
  const program = /^[^\s]+/.exec(first)?.[0].replace(/^.*\//, '') ?? '';
  if (TELLS_ABOUT.test(program) && !TELLS_IT.test(first)) {
    const picks =
      /^(?:grep|rg|egrep)$/.test(program) && others.some((stage) => /^(?:cut|awk|sed|tr|grep|rg)\b/.test(stage));
    if (!picks) return undefined;
  }
  if (/^(?:npm|docker|podman|kubectl|oc|curl|wget|http)$/.test(program) && !SHOWS[program]?.test(all)) return undefined;
  // Of text that `echo` is given, only variables are values.
  const said = /^(?:echo|printf)$/.test(program)
    ? [...first.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1]).join(' ')
    : all;
  return namesSecret(said.replace(SOURCE_FILE, ' '), program);
}

const SHOWS: Readonly<Record<string, RegExp>> = {
  npm: /^npm (?:config|c) get|^npm token create/,
  docker: /^docker (?:compose |container )?(?:exec|inspect|run|logs|config|secret)\b/,
  podman: /^podman (?:exec|inspect|run|logs|secret)\b/,
  kubectl: /\bexec\b|\.data\b|\bconfig view\b|\blogs\b|\.(?:token|password)\b/,
  oc: /\bexec\b|\.data\b|\bconfig view\b|\bextract\b/,
  curl: /169\.254|metadata|\/token\b|secret|password|vault/,
  wget: /169\.254|metadata|\/token\b|secret|vault/,
  http: /\/token\b|secret|vault/,
};

/** Programs that show what is in a file, a variable or a field. */
const SHOWING =
  /^(?:cat|bat|head|tail|less|more|jq|yq|echo|printf|printenv|awk|gawk|sed|cut|tr|strings|xmllint|xmlstarlet|dasel|crudini|get|type|gc|Get-Content|redis-cli|mysql|mariadb|psql|sqlite3|mongosh?|node|deno|bun|python3?|ruby|perl|php|rails|bundle|bin|manage\.py|artisan|kubectl|oc|docker|podman|git|npm|grep|rg|terraform|tofu|pulumi|consul|etcdctl|vault|aws|gcloud|az|security|defaults|dconf|gsettings|reg|snapctl|ssh|keepassxc-cli|bw|op|pass|base64|curl|wget|http|crontab|env|systemctl|launchctl)$/;

const OPTION_ABOUT = /(?:^|\s)--?[a-z-]*(?:pass|token|secret|key|cred)[a-z-]*(?:=\S+| (?=[\w./~$"']))/gi;

function namesSecret(said: string, program: string): Printing {
  let found: Printing;
  for (const match of said.replace(OPTION_ABOUT, ' ').matchAll(NAMES)) {
    const name = match[0].replace(/^[.-]+|[.-]+$/g, '');
    // Packages, folders and tables of many.
    if (name.length < 3 || PLURAL.test(name)) continue;
    const last = name.slice(name.lastIndexOf('.') + 1);
    const bare = name.replace(/\.(?:txt|key|gpg|age|enc|b64|asc|json|ya?ml)$/, '');
    if ([name, bare, last].every((each) => kindOfSecretName(each) === 'none') && name !== 'app.key') continue;
    if (SHOWING.test(program) || /\b(?:get|show|view|read|print|reveal|export|reset)\b|--get\b/.test(said))
      return 'told';
    found = 'likely';
  }
  return found;
}
const NAMES = /[\p{L}\w.-]+/gu;
const PLURAL = /^(?:secrets|tokens|passwords|keys|credentials|auth|key|pass)$/i;

/** The mark of an arrow function is none. */
const PROMPT = /^\s*(?:[^\n$#%❯>]{0,80}(?:[$#%❯]|(?<![=-])>) |\+ )/;
const MOST_LINES = 24;
const LONGEST_COMMAND = 2_000;
const LONGEST_ANSWER = 4_000;

/** The values in what a command printed, as ranges of `answer`. */
export function readAnswer(command: string, answer: string, onValue: OnValue): void {
  if (answer.length > LONGEST_ANSWER || command.length > LONGEST_COMMAND) return;
  const printing = printingOf(command);
  if (printing === undefined) return;
  const lines = [...answer.matchAll(/[^\r\n]+/g)].filter(({ 0: line }) => /\S/.test(line) && !/^<\w+ /.test(line));
  if (lines.length === 0 || lines.length > MOST_LINES) return;
  const take = (value: string, from: number): void => onValue(from, from + value.length);
  if (printing === 'drawn')
    for (const { 0: line, index } of lines)
      for (const word of line.matchAll(/[^\s"']+/g)) if (isDrawnWord(word[0])) take(word[0], index + word.index);
  if (printing === 'drawn' || (printing !== 'first' && lines.length > 3)) return;
  for (const [number, { 0: line, index }] of lines.entries()) {
    if (printing === 'first' && number > 0) return;
    const value = /^\s*["']?(.*?)["']?,?\s*$/.exec(line)?.[1] ?? '';
    const from = index + line.indexOf(value);
    if (/\s/.test(value)) {
      if (lines.length === 1 || printing === 'first') if (isPassphrase(value)) take(value, from);
    } else if (
      isPrinted(value) &&
      (printing === 'likely'
        ? isLikely(value) || (lines.length === 1 && /\d/.test(value) && value.length >= 8 && isTold(value))
        : isTold(value))
    )
      take(value, from);
  }
}

const isDrawnWord = (word: string): boolean =>
  (/^(?:base64:)?[^\s,;()]{8,400}$/.test(word) || /^[^\s]{24,100}$/.test(word)) &&
  isPrinted(word) &&
  (/\d/.test(word) || /[a-z][A-Z]|-.*-/.test(word)) &&
  !/^\w+:$|\.\w{2,4}$/.test(word);

/** Of a command whose words name a secret: not a name, a state or a place in a file. */
const isTold = (value: string): boolean =>
  value.length >= 4 &&
  !isOrdinary(value) &&
  !/^[A-Za-z]{1,7}$|^[\w.-]*[,;{}()[\]]+$|^\w+\(|^[\w./-]+:\d+:|^[\w.-]+\/[\w./-]+:|^\d{1,5}$|^[A-Z][A-Z_]+(?:=|$)|^[a-z]+_[a-z_]+$|^[a-z]+-[a-z]+$|^[\w.-]{1,15}=$|:$/.test(
    value,
  ) &&
  !(/^[A-Za-z]+$/.test(value) && WORD_OF_STATE.test(value));

const isLikely = (value: string): boolean =>
  isTold(value) &&
  (looksMadeUp(value) || /^(?=.*\d)(?=.*[a-f])[a-f\d]{32,}$|^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[\w+/=-]{16,}$/.test(value));

/** `hit`: at a word of such a command. Reads the lines below it. */
export function readPrinted(text: string, hit: number, onValue: OnValue): number {
  const start = promptBefore(text, hit);
  // A prompt is before all of its line.
  if (start < 0) return afterLine(text, hit);
  const end = lineEnd(text, hit);
  const prompt = PROMPT.exec(text.slice(start, end))?.[0];
  if (prompt === undefined) return hit + 1;
  let stop = end;
  for (let count = 0; count <= MOST_LINES && stop < text.length; count++) {
    const next = lineEnd(text, stop + 1);
    const line = text.slice(stop + 1, next);
    if (/^\s*$/.test(line) || (/^\s*(?:[\w@.~/:-]{0,60}[$❯%#>] |[$❯]$|```)/.test(line) && count > 0)) break;
    stop = next;
  }
  if (stop > end)
    readAnswer(text.slice(start + prompt.length, end), text.slice(end, stop), (from, to) =>
      onValue(end + from, end + to),
    );
  return end;
}

const afterLine = (text: string, place: number): number => {
  const end = text.indexOf('\n', place);
  return end < 0 ? text.length : end;
};

/** Where the line begins whose prompt is before this place; -1 without one. */
function promptBefore(text: string, hit: number): number {
  let hasPrompt = false;
  const first = Math.max(0, hit - 600);
  for (let place = hit - 1; place >= first; place--) {
    const unit = text.charCodeAt(place);
    if (unit === 10) return hasPrompt ? place + 1 : -1;
    if (unit === 32 && place > 0 && PROMPT_ENDS.includes(text[place - 1] as string)) hasPrompt = true;
  }
  return hasPrompt && first === 0 ? 0 : -1;
}
const PROMPT_ENDS = '$#%❯>+';

/** `hit`: at words for codes that get somebody in again. Reads the codes on the lines below. */
export function readCodes(text: string, hit: number, onValue: OnValue): number {
  let from = lineEnd(text, hit) + 1;
  let read = 0;
  for (let count = 0; count < 24 && from < text.length; count++) {
    const end = lineEnd(text, from);
    const line = text.slice(from, Math.min(end, from + 200));
    const codes = CODES.exec(line)?.[1];
    if (codes !== undefined && (/\d/.test(codes) || /^\w*[a-z][A-Z]\w*-\w*(?:[a-z][A-Z]|[A-Z]{2}[a-z])/.test(codes))) {
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
const isPrinted = (value: string): boolean =>
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
  for (const match of command.matchAll(/ (?:'([^'\n]{8,80})'|"([^"\n]{8,80})")/g)) {
    const value = (match[1] ?? match[2]) as string;
    if (isMadeUpWithin(value)) onValue(start + match.index + 2, start + match.index + 2 + value.length);
  }
  return end;
}

/** `-p X`, `--auth X`, `<<< X`, `$(echo X)`: what a command takes as a password. */
const OPTION =
  /(?:\s(?:-D[\w.]{0,40}(?:login|token|password|key|secret)=|(?<pair>(?:-[ua]|--?(?:[a-z]+[-_]?){0,2}(?:auth|cred|user|login|proxy)[\w-]{0,12})[ =]["']?[\w.@\\/-]{1,40}[,%:])|-{1,2}(?:password-command|\w{0,12}pass\w{0,4}eval)[ =]["']?(?:echo|printf) |--?(?:[a-z]+[-_]?){0,3}(?:auth\w{0,12}|pass\w{0,10}|pwd|pw|pin|key|secret|token|encrypt|credentials?)[ =:]|(?<short>-[a-z][ =:])|-h?p(?=[^\s]{0,40}\d)|-(?=[A-Za-z][A-Za-z\d]{16})[A-Z]|\/(?:r?p|pw|pass\w{0,5})[ :]|\w{0,20}_pw )|(?<here><<< ?)|\s-u (?=[^\s:]{16,200}:["'\s])|\$\(echo |(?<input><\((?:echo|printf)(?: -n)?(?: ["']?%s(?:\\n)?["']?)? ))(?:'([^'\n]{5,200})'|"([^"\n]{5,200})"|([^\s"'`|;&()<>]{5,200}))/gi;
/** An option for a user stands beside one for a password. */
const USER_OPTION = /\s(?:-[uUlD]|--?(?:user\w*|login|bind-?dn|account|principal)|\/user)[ =:]?\S/;
const MEANT_FOR_SECRETS =
  /passwd|password|vnc|keepass|secret|vault|kinit|unlock|login|auth|connect|luks|gpg|token|\bsu\b|sudo|pass\b|credential|context create|restic|borg|duplicity/i;

function readOptions(command: string, start: number, onValue: OnValue): void {
  for (const match of command.matchAll(OPTION)) {
    const { short, pair, here, input } = match.groups ?? {};
    const isQuoted = match.at(-1) === undefined;
    const said = (match.at(-3) ?? match.at(-2) ?? match.at(-1)) as string;
    const value = isQuoted ? said : said.replace(/[:,]$/, '');
    if (isStandIn(value) || isReference(value) || isOrdinary(value)) continue;
    const isUsual = short === undefined || /^-[pkwash]/i.test(short);
    const isNear =
      pair !== undefined ||
      input !== undefined ||
      (here !== undefined && MEANT_FOR_SECRETS.test(command)) ||
      (short !== undefined && /^-[pPwWsSxXaA][ =:]$/.test(short) && USER_OPTION.test(command));
    if (
      !(isNear && isGiven(value)
        ? true
        : isUsual
          ? looksGiven(value, isQuoted)
          : value.length >= 20 && looksRandom(value))
    )
      continue;
    const from = start + match.index + match[0].length - said.length - (isQuoted ? 1 : 0);
    onValue(from, from + value.length);
  }
}

/** Beside the option for a user, or as a whole input: any word with a digit that is no name, number or place. */
const isGiven = (value: string): boolean =>
  value.length >= 5 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/\s|^\$|^[\w.-]+:\d+$|^[\w-]+(?:\.[\w-]+)+$|^[a-z]+(?:-[a-z]+)+-?\d{0,3}$|^v?\d[\d.:x-]*[a-z]{0,2}$|^\w{1,6}\d$|\/|^\w+=/.test(
    value,
  );

const looksGiven = (value: string, isQuoted: boolean): boolean =>
  !/^[\w.-]+:[\w./-]+$|^[a-z]\w*[-_]\w+[-_]\w*[a-z]\w*$/.test(value) &&
  (looksMadeUp(value) ||
    (value.length >= 8 && /^\w+$/.test(value) && looksRandom(value)) ||
    (isQuoted && isMadeUpWithin(value)));

/** The same with brackets and what ends statements: `<Otter>244;`. */
const isMadeUpWithin = (value: string): boolean =>
  /^[^\s]{8,80}$/.test(value) &&
  /[<>;()[\]{}|,]/.test(value) &&
  !/\(\)|=>|\$[\w{(]|^\{|\w\(\w*\)$|^<\w+>$|^\w+=|:\/\/|^[\w.-]+\(/.test(value) &&
  /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])/.test(value.replace(/[<>;()[\]{}|,]/g, ''));

/** `echo X | kinit ann`: what a command is given, unless that computes with it. */
const PIPED =
  /(?:echo|printf)(?: -\w{1,3})? ["']?(?:%s(?:\\n)?["']? ["']?)?(?:[\w.@-]{1,30}(?::|\\n))?([^\s"'|\\]{7,100})(?:\\n[^\s"'|]{0,100})?["']? ?\| ?(?!(?:base(?:64|32)|\w*sum|openssl|xxd|od|rev|tr|cut|sed|awk|grep|jq|wc|head|tail|sort|hexdump|bc|tee|xargs|cat|gzip|md5|sha\d+)\b)[a-z]/g;

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
