import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schemas = fileURLToPath(new URL('../../../../schemas/', import.meta.url));
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
});
for (const file of readdirSync(schemas)) ajv.addSchema(JSON.parse(readFileSync(schemas + file, 'utf8')));

/** What does not fit the published schema of that name; empty where all does. */
export function misfits(schema: string, value: unknown): string {
  const check = ajv.getSchema(`https://troupe.dev/schemas/${schema}.schema.json`);
  if (!check) return `no schema ${schema}`;
  return check(value) ? '' : JSON.stringify(check.errors);
}
