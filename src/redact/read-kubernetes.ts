// Secrets of Kubernetes, in YAML.

import { indentAt, LONGEST_VALUE, lineEnd, lineStart, type OnValue } from './scan-text.ts';
import { isStandIn } from './value-looks.ts';

/** The data of a secret of Kubernetes, in YAML: whatever the keys are called. `hit`: at `kind: Secret`. */
export function readKubernetesSecret(text: string, hit: number, onValue: OnValue): number {
  const line = lineStart(text, hit);
  const kind = /^([ \t]*(?:\d{1,6}[\t→|] ?)?)(?:- )?kind:[ \t]*["']?Secret["']?\s*$/.exec(
    text.slice(line, Math.min(lineEnd(text, hit), line + 120)),
  );
  if (!kind) return hit + 1;
  const isEnd = (here: string): boolean => /^[ \t]*(?:\d{1,6}[\t→|] ?)?---\s*$/.test(here);
  let place = line;
  for (let count = 0; count < 60 && place > 0; count++) {
    const before = lineStart(text, place - 1);
    if (isEnd(text.slice(before, place - 1))) break;
    place = before;
  }
  let isData = false;
  let indent = 0;
  for (let count = 0; count < 200 && place < text.length; count++) {
    const end = lineEnd(text, place);
    const here = text.slice(place, Math.min(end, place + LONGEST_VALUE));
    const margin = /^[ \t]*\d{1,6}[\t→|] ?/.exec(here)?.[0].length ?? 0;
    if (isEnd(here) && place > line) break;
    const depth = indentAt(text, place + margin);
    if (/^\s*(?:data|stringData):\s*$/.test(here.slice(margin))) [isData, indent] = [true, depth];
    else if (isData && here.trim() !== '' && depth <= indent) isData = false;
    else if (isData) {
      const field =
        /^\s*["']?(?!(?:[\w.-]{0,60}[_.-])?(?:user(?:name)?|host(?:name)?|port|database|db(?:name)?|region|namespace|bucket)["']?:)[\w./-]{1,100}["']?:[ \t]+["']?(\S.*?)["']?\s*$/i.exec(
          here.slice(margin),
        );
      if (field?.[1] && field[1].length >= 4 && !/^[|>]/.test(field[1]) && !isStandIn(field[1])) {
        const start = place + margin + here.slice(margin).lastIndexOf(field[1]);
        onValue(start, start + field[1].length);
      }
    }
    place = end + 1;
  }
  return hit + 1;
}
