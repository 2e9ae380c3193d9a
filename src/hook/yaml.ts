// dist/hook-yaml.cjs: the YAML library of the hook. Loaded where a policy holds more than plain YAML only.
export { readYaml } from '../guard/policy/read-yaml.ts';
