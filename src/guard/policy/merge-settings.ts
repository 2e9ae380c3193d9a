import type { Decision, Policy } from '../policy.ts';
import { NO_POLICY } from './caution.ts';
import type { Placed, PolicyFile } from './read-policy-file.ts';
import { isLooser } from './strictness.ts';

export type Settings = Pick<Policy, 'defaults' | 'onError'>;

/** What holds where a policy says nothing about it: it has rules, so a call that nobody can be named for is worth a question. */
const UNSAID: Settings = { defaults: { main: 'none', subagent: 'none', unknown: 'ask' }, onError: 'ask' };

export function settingsOf({ defaults, onError }: PolicyFile): Settings {
  return {
    defaults: {
      main: defaults.main?.value ?? UNSAID.defaults.main,
      subagent: defaults.subagent?.value ?? UNSAID.defaults.subagent,
      unknown: defaults.unknown?.value ?? UNSAID.defaults.unknown,
    },
    onError: onError?.value ?? UNSAID.onError,
  };
}

/** With what a project says; what would loosen is told, and has no effect. Without a policy before it, that was no opinion. */
export function tightenSettings(before: Settings | undefined, file: PolicyFile): Settings {
  const { defaults, onError } = before ?? NO_POLICY;
  const unsaid = before ?? UNSAID;
  const tightened = (
    name: string,
    said: Placed<Decision> | undefined,
    now: Decision,
    otherwise: Decision,
  ): Decision => {
    if (!said) return otherwise;
    if (!isLooser(said.value, now)) return said.value;
    const message = `A project's policy can only tighten: \`${name}: ${said.value}\` is looser than \`${now}\`.`;
    file.problems.add({ code: 'loosens', offset: said.offset, message, remedy: 'Remove it: it has no effect.' });
    return otherwise;
  };
  const byDefault = (who: keyof Policy['defaults']): Decision =>
    tightened(who, file.defaults[who], defaults[who], unsaid.defaults[who]);
  return {
    defaults: { main: byDefault('main'), subagent: byDefault('subagent'), unknown: byDefault('unknown') },
    onError: tightened('on_error', file.onError, onError, unsaid.onError),
  };
}
