// The rules of all presets, for scripts/build.mjs: the hook has them read already.
import { presetRules } from '../guard/policy/compile.ts';
import { PRESET_NAMES } from '../guard/policy/presets.ts';
import { readYaml } from '../guard/policy/read-yaml.ts';

export const presets = Object.fromEntries(
  PRESET_NAMES.map((name) => [name, JSON.stringify(presetRules(name, readYaml))]),
);
