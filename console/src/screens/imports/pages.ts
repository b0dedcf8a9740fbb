import type { ScreenPage } from '../../app/screen-page.ts';

/** What the palette offers besides the list: it begins an import from anywhere. */
export const importPages: readonly ScreenPage[] = [
  {
    id: 'new',
    title: 'imports.new',
    icon: 'upload',
    scope: 'contacts:write',
    load: async () => (await import('./imports.tsx')).Imports,
  },
];
