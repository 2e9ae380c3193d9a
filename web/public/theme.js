// Before the first paint: the colours that the person chose. A file of its own, because the page allows no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('troupe-theme');
  } catch {
    // A browser may forbid to keep anything.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
