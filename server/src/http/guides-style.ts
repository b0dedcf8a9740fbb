/** The style of the guides: system fonts, light and dark by the reader's setting, nothing fetched from elsewhere. */
export const GUIDES_CSS = `:root {
  color-scheme: light dark;
  --text: #1b2430;
  --quiet: #5a6675;
  --line: #dde2e8;
  --page: #ffffff;
  --panel: #f5f7f9;
  --accent: #0f766e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e8ee;
    --quiet: #9aa6b4;
    --line: #2c3641;
    --page: #12171d;
    --panel: #1a2129;
    --accent: #4fd1c5;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--accent); }
main img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header {
  position: sticky;
  top: 0;
  z-index: 1;
  display: flex;
  gap: 1.5rem;
  align-items: baseline;
  padding: 0.75rem 1.5rem;
  border-bottom: 1px solid var(--line);
  background: var(--page);
}
header a { text-decoration: none; }
header .name { color: var(--text); font-weight: 650; }
.columns { display: flex; max-width: 76rem; margin: 0 auto; }
nav {
  position: sticky;
  top: 3.1rem;
  flex: 0 0 16rem;
  height: calc(100vh - 3.1rem);
  overflow-y: auto;
  padding: 1rem 1.5rem 2rem;
  border-right: 1px solid var(--line);
  font-size: 0.9rem;
}
nav h2 { margin: 1.2rem 0 0.3rem; color: var(--quiet); font-size: 0.8rem; font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav ul ul { margin-left: 0.5rem; padding-left: 0.7rem; border-left: 1px solid var(--line); }
nav a { display: block; padding: 0.15rem 0; color: var(--text); text-decoration: none; }
nav ul ul a { color: var(--quiet); }
nav a:hover { color: var(--accent); }
nav a[aria-current] { color: var(--accent); font-weight: 600; }
main { flex: 1; min-width: 0; max-width: 54rem; padding: 1.5rem 2.5rem 5rem; }
h1 { margin: 0.5rem 0 1rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.4rem; line-height: 1.3; }
h3 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
li { margin: 0.25rem 0; }
code { padding: 0.1em 0.3em; border-radius: 0.25rem; background: var(--panel); font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { overflow-x: auto; padding: 0.9rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.925rem; }
th, td { padding: 0.45rem 0.9rem 0.45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
td:last-child { min-width: 12rem; }
@media (max-width: 50rem) {
  nav { display: none; }
  header { padding: 0.75rem 1rem; }
  main { padding: 1rem 1rem 4rem; }
  h1 { font-size: 1.6rem; }
}
`;
