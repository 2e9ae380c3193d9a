// What the program says in the person's place.

const CONTEXT = /^<session_context>\n?([\s\S]*?)\n*<\/session_context>\s*$/;

export function isHostText(text: string): boolean {
  return text.startsWith('<session_context>');
}

export function contextIn(text: string): string {
  return CONTEXT.exec(text)?.[1] ?? text;
}

/** The folder that the session works in: the first of its list. */
export function folderIn(text: string): string | undefined {
  return /^- \*\*Workspace Directories:\*\*\n {2}- (.+)$/m.exec(text)?.[1];
}
