/** Hosts write the same tools in their own ways: `Bash`, `bash`; `MultiEdit`, `multi_edit`. */
export function plainToolName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const SHELLS = new Set([
  'bash',
  'shell',
  'localshell',
  'runshellcommand',
  'execcommand',
  'shellcommand',
  'powershell',
  'readbash',
  'writebash',
  'stopbash',
  'bashoutput',
  'taskoutput',
  'killshell',
]);

export function isShell(name: string): boolean {
  return SHELLS.has(plainToolName(name));
}
