// What the program says in the person's place.

export function isHostText(text: string): boolean {
  return text.startsWith('<session_context>');
}

export function contextIn(text: string): string {
  return text.replace(/^<session_context>\n?/, '').replace(/\n*<\/session_context>\s*$/, '');
}

/** The folder that the session works in: the first of its list. */
export function folderIn(text: string): string | undefined {
  return /^- \*\*Workspace Directories:\*\*\n {2}- (.+)$/m.exec(text)?.[1];
}
