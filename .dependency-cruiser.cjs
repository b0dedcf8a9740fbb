// Who may import whom. The table stands in docs/architecture.md; here it is held.
const src = '^server/src';
const modules = '(access|attributes|automations|campaigns|channels|chats|contacts|files|labels|messages|templates|users|webhooks)';
const top = `${src}/[^/]+\\.ts$`;

const only = (from, allowed, comment) => ({
  name: `${from}-stands-on`,
  comment,
  severity: 'error',
  from: { path: `${src}/${from}/` },
  to: { path: src, pathNot: allowed.map((folder) => `${src}/${folder}/`) },
});

module.exports = {
  forbidden: [
    only('base', ['base'], 'The ground floor knows nothing of ours.'),
    only('db', ['db', 'base'], 'The database layer stands on the ground floor.'),
    only('search', ['search', 'base'], 'The grammar stands on the ground floor.'),
    only('outbound', ['outbound', 'base'], 'The guarded client stands on the ground floor.'),
    only('engine', ['engine', 'base', 'db', 'search', 'outbound'], 'The engine knows no module.'),
    only('http', ['http', 'base', 'db', 'search', 'outbound'], 'HTTP knows no module.'),
    only(
      'providers',
      ['providers', 'base', 'outbound'],
      'Providers know neither modules, engine nor database.',
    ),
    {
      name: 'modules-stand-below-the-roof',
      comment: 'What puts the house together is imported by nobody in it.',
      severity: 'error',
      from: { path: `${src}/${modules}/` },
      to: { path: top },
    },
    {
      name: 'routes-belong-to-the-app',
      comment: "A module's routes are named in app.ts and nowhere else.",
      severity: 'error',
      from: { path: src, pathNot: `${src}/app\\.ts$` },
      to: { path: `${src}/${modules}/(routes|provider-route)\\.ts$` },
    },
    {
      name: 'providers-keep-to-themselves',
      comment: 'One vendor does not reach into another.',
      severity: 'error',
      from: { path: `${src}/providers/([^/]+)/` },
      to: { path: `${src}/providers/[^/]+/`, pathNot: `${src}/providers/$1/` },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-test-tools-in-the-product',
      severity: 'error',
      from: { path: src },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
