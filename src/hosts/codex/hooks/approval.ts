// Codex runs a hook only after its person agreed to it there (`/hooks`), and keeps that in `config.toml`: under the hook's place, a
// hash of what it is. Said nowhere is which hooks it passes over, so we look. Compared with 0.131.0 to 0.166.0.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type { HookApproval } from '../../index.ts';
import { type Handler, handlersIn, type SettingsForm } from '../../shared/index.ts';
import { rootsOf } from '../data-folder.ts';

/** Before that, whatever stood in the file was run. */
const ASKS_SINCE = '0.131.0';

export function createApproval({ host }: SettingsForm): HookApproval {
  return {
    files: (machine) => rootsOf(machine).map((root) => path.resolve(root, 'config.toml')),
    missing({ file, text }, agreed, version) {
      if (version !== undefined && !isAtLeast(version, ASKS_SINCE)) return [];
      const ours = handlersIn(text).filter(({ command }) => parseHookCommand(command, host));
      return ours
        .filter((handler) => !agreed.some((one) => agreedHash(one, keyOf(file, handler)) === hashOf(handler)))
        .map(({ event }) => event);
    },
    how: 'start codex, type /hooks, and trust those that end in # troupe',
  };
}

function keyOf(file: string, { event, group, place }: Handler): string {
  return `${file}:${labelOf(event)}:${group}:${place}`;
}

function labelOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Of the event and the entry, with its keys in order and what it leaves out filled in. */
export function hashOf({ event, value, matcher }: Handler): string {
  const { command, timeout = 600, type, async = false } = value;
  const group = {
    event_name: labelOf(event),
    hooks: [{ async, command, timeout, type }],
    ...(matcher !== undefined && { matcher }),
  };
  return `sha256:${createHash('sha256').update(JSON.stringify(group)).digest('hex')}`;
}

/**
 * `[hooks.state."/home/dev/.codex/hooks.json:pre_tool_use:0:0"]`, then `trusted_hash = "sha256:…"`: as Codex itself writes it. Whoever
 * wrote it in another way is told that it is not there.
 */
function agreedHash(config: string, key: string): string | undefined {
  const at = config.indexOf(`[hooks.state.${JSON.stringify(key)}]`);
  if (at === -1) return undefined;
  const [, body = ''] = config.slice(at).split(/\]\s*$/m, 2);
  const own = body.split(/^\s*\[/m, 1)[0] ?? '';
  if (/^\s*enabled\s*=\s*false/m.test(own)) return undefined;
  return /^\s*trusted_hash\s*=\s*"([^"]*)"/m.exec(own)?.[1];
}
