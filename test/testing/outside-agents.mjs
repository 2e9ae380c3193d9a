// Preloaded into servers when the tests themselves run below a coding agent: cuts the line of ancestors at the test runner,
// so that what a test does counts as done by a person.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const runner = `/proc/${process.env['TROUPE_TEST_RUNNER']}`;
const { readFileSync } = fs;
fs.readFileSync = (file, options) => {
  if (file === `${runner}/environ`) return '';
  const content = readFileSync(file, options);
  // `pid (name) state parent …`
  return file === `${runner}/stat` ? content.replace(/(?<=.*\) \S )\d+/, '0') : content;
};
syncBuiltinESMExports();
