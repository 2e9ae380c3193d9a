import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the script of a draining process; where it lies. */
export async function bundleDrain(folder: string): Promise<string> {
  const outfile = `${folder}/drain.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL('./drain-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
  });
  return outfile;
}

/** The protocol of the observer stub, and a writer that goes through it again and again. */
const STUB = `
umask 077
spool=$1/spool host=$2 n=0
set -C
while :; do
  draft=$spool/.new-$host.$$.$n final=$spool/$host.$$.$n.json
  if true 2>/dev/null >"$draft"; then
    [ -e "$final" ] || break
    rm -f "$draft"
  fi
  n=$((n + 1))
done
set +C
{ cat; printf '\\n{"ppid":%s}\\n' "$PPID"; } >"$draft" && mv "$draft" "$final"
exit 0
`;
const WRITER = `
state=$1 stub=$2 writer=$3 rounds=$4 i=0
while [ $i -lt $rounds ]; do
  i=$((i + 1))
  tool=',"tool":"Bash","input":{"command":"echo '$i'"}'
  [ $((i % 3)) -eq 0 ] && tool=
  printf '{"event":"Pre","session":"s%s","seq":"%s-%s"%s}' $((writer % 3)) $writer $i "$tool" | sh "$stub" "$state" test
done
`;

/** Writes the scripts; starts writer number `writer`, which puts so many events into the spool. */
export function prepareWriters(scripts: string, folder: string): (writer: number, rounds: number) => ChildProcess {
  const [stub, loop] = [`${scripts}/stub.sh`, `${scripts}/writer.sh`];
  writeFileSync(stub, STUB);
  writeFileSync(loop, WRITER);
  return (writer, rounds) =>
    spawn('sh', [loop, folder, stub, String(writer), String(rounds)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Ends by itself or is killed; what it said, and by which signal it went. */
export async function runDrain(
  script: string,
  args: readonly string[],
): Promise<{ said: string; signal: string | null }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  const [, signal] = await once(child, 'close');
  return { said, signal };
}
