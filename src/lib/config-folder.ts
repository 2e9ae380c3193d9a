import path from 'node:path';

/** `TROUPE_HOME`, else where the system keeps settings. */
export function configFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env['TROUPE_HOME'] || path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'troupe');
}
