/** Fields of a form, files as bytes. */
export function readMultipart(body: Buffer, type: string): Readonly<Record<string, unknown>> {
  const boundary = /boundary=("?)([^";]+)\1/.exec(type)?.[2] ?? '';
  const fields: Record<string, unknown> = {};
  const mark = Buffer.from(`--${boundary}`);
  let from = body.indexOf(mark);
  while (from >= 0) {
    const next = body.indexOf(mark, from + mark.length);
    if (next < 0) break;
    const part = body.subarray(from + mark.length + 2, next - 2);
    const gap = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, gap).toString('utf8');
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const file = /filename="?([^";\r\n]*)"?/.exec(head)?.[1];
    const content = part.subarray(gap + 4);
    fields[name] = file === undefined ? content.toString('utf8') : { file, bytes: content };
    from = next;
  }
  return fields;
}
