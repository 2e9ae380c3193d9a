import { asFlag, asObject, asText, type JsonObject } from '../../lib/json.ts';
import type { CallView, ErrandView, LetterView, TerminalView } from './call-views.ts';
import {
  describeEdit,
  describeEdits,
  describeNotebook,
  describePatch,
  describeRead,
  describeWrite,
} from './describe-files.ts';
import { describeChecks, describeFound, describeTask } from './describe-lists.ts';
import { describeFetch, describeWebSearch } from './describe-web.ts';
import { formatFields, prettyJson } from './fields.ts';
import type { CallResult, ToolCall } from './message-parts.ts';
import { plainToolName } from './tool-names.ts';

type Describe = (input: JsonObject, output: string | undefined) => CallView | undefined;

/** By the tool's name, and only where its input is what that tool takes: the same name may be another host's tool. */
const TOOLS: ReadonlyMap<string, Describe> = new Map(
  Object.entries({
    bash: describeCommand,
    shell: describeCommand,
    localshell: describeCommand,
    runshellcommand: describeCommand,
    execcommand: describeCommand,
    shellcommand: describeCommand,
    powershell: describeCommand,
    edit: describeEdit,
    replace: describeEdit,
    multiedit: describeEdits,
    applypatch: describePatch,
    write: describeWrite,
    writefile: describeWrite,
    create: describeWrite,
    notebookedit: describeNotebook,
    read: describeRead,
    readfile: describeRead,
    view: describeRead,
    grep: describeFound,
    grepsearch: describeFound,
    searchfilecontent: describeFound,
    listdirectory: describeFound,
    glob: describeFound,
    ls: describeFound,
    list: describeFound,
    todowrite: describeChecks,
    writetodos: describeChecks,
    updateplan: describeChecks,
    taskcreate: describeTask,
    taskupdate: describeTask,
    webfetch: describeFetch,
    websearch: describeWebSearch,
    googlewebsearch: describeWebSearch,
    sendmessage: describeLetter,
    writeagent: describeLetter,
    task: describeErrand,
    agent: describeErrand,
    invokeagent: describeErrand,
  } satisfies Record<string, Describe>),
);

const known = new WeakMap<ToolCall, { readonly result: CallResult | undefined; readonly view: CallView }>();

/** What a call did, in the shape that shows it best. Asked again for the same call, it gives the same. */
export function describeCall(call: ToolCall, result: CallResult | undefined): CallView {
  const before = known.get(call);
  if (before && before.result === result) return before.view;
  const view = describe(call, result);
  known.set(call, { result, view });
  return view;
}

function describe({ name, input, ref }: ToolCall, result: CallResult | undefined): CallView {
  const fields = asObject(input);
  const special = fields && TOOLS.get(plainToolName(name))?.(fields, result?.text);
  if (special) return special;
  if (ref) return errandOf(fields ?? {}, result?.text);
  return { kind: 'fields', fields: formatFields(input), output: result && prettyJson(result.text) };
}

const EXIT_CODE = /^Exit code (\d{1,5})(?:\n|$)/;

function describeCommand(input: JsonObject, output: string | undefined): TerminalView | undefined {
  const given = input['command'] ?? input['cmd'];
  const command = Array.isArray(given) ? given.map(String).join(' ') : asText(given);
  if (command === undefined) return undefined;
  const exit = EXIT_CODE.exec(output ?? '');
  return {
    kind: 'terminal',
    command,
    note: asText(input['description']),
    isBackground: asFlag(input['run_in_background']) === true,
    exitCode: exit ? Number(exit[1]) : undefined,
    output: exit ? output?.slice(exit[0].length) : output,
  };
}

function describeLetter(input: JsonObject): LetterView | undefined {
  const to = asText(input['to']) ?? asText(input['recipient']) ?? asText(input['agent_id']);
  const text = asText(input['message']) ?? asText(input['content']);
  return to === undefined || text === undefined ? undefined : { kind: 'letter', to, text };
}

function describeErrand(input: JsonObject, output: string | undefined): ErrandView | undefined {
  return asText(input['prompt']) === undefined ? undefined : errandOf(input, output);
}

/** What the host says in place of an answer when the agent goes on by itself. */
const LAUNCH_NOTICE =
  /^(?:(?:(?:Async|Background) agent launched|Spawned) successfully|Workflow launched in background|Agent started in background|\{"(?:agent_id|task_name)":)/;

function errandOf(input: JsonObject, output: string | undefined): ErrandView {
  return {
    kind: 'errand',
    type: asText(input['subagent_type']) ?? asText(input['agent_type']) ?? asText(input['agent_name']),
    description: asText(input['description']),
    prompt:
      asText(input['prompt']) ??
      asText(input['message']) ??
      formatFields(input)
        .map(({ name, text }) => `${name}: ${text}`)
        .join('\n'),
    answer: output !== undefined && LAUNCH_NOTICE.test(output) ? undefined : output,
  };
}
