// `cd`: where what follows is run.
import { isUnsure } from './marks.ts';
import { withLinks } from './paths.ts';
import { isAbsolute, joinPath } from './posix-path.ts';
import type { Scene } from './scene.ts';
import type { ShellWord } from './words.ts';

/** Allows need not name a move inside the project. */
export function moveTo(name: string, words: readonly ShellWord[], scene: Scene): boolean {
  const target = words.slice(1).find(({ form }) => !/^-[A-Za-z@]*$/.test(form) || form === '-');
  const form = target?.form ?? (name === 'cd' || name === 'chdir' ? scene.home : null);
  const before = scene.cwds;
  if (form === null || form === '-' || /^[+-]\d+$/.test(form) || isUnsure(form) || name === 'popd') {
    scene.cwds = null;
    return false;
  }
  // CDPATH is not looked at: a name without ./ may be found elsewhere, which is only so where it is set.
  scene.cwds =
    before === null ? (isAbsolute(form) ? [joinPath('/', form)] : null) : before.map((cwd) => joinPath(cwd, form));
  return scene.cwds?.every((cwd) => isInProject(cwd, scene)) ?? false;
}

function isInProject(folder: string, scene: Scene): boolean {
  const { projectDir, cwd } = scene.context;
  const roots = [projectDir, cwd].filter((root) => root !== null && root !== '/');
  const places = withLinks(folder, scene.context) ?? ['/'];
  return places.every((place) => roots.some((root) => place === root || place.startsWith(`${root}/`)));
}
