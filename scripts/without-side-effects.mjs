// For esbuild: our modules do nothing when they are loaded, so what is not used of a room is left out of a bundle.
export const withoutSideEffects = {
  name: 'without-side-effects',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, ...options }) => {
      if (pluginData === withoutSideEffects) return undefined;
      const resolved = await resolve(path, { ...options, pluginData: withoutSideEffects });
      return /\/src\/(?!main\.ts)[^.]*\.ts$/.test(resolved.path) && !resolved.path.includes('/web/')
        ? { ...resolved, sideEffects: false }
        : resolved;
    });
  },
};
