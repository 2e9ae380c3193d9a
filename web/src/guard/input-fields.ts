export interface InputField {
  /** Empty where the input is no object. */
  readonly name: string;
  readonly text: string;
}

/** What a tool was given, for reading: texts as they are, everything else as JSON. */
export function inputFields(input: unknown): readonly InputField[] {
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isRecord) return [{ name: '', text: toText(input) }];
  const fields = Object.entries(input);
  return fields.length === 0
    ? [{ name: '', text: '{}' }]
    : fields.map(([name, value]) => ({ name, text: toText(value) }));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
