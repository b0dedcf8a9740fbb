// Who may import whom. The table stands in docs/architecture.md; here it is held.
const src = '^server/src';
const modules =
  '(access|attributes|automations|campaigns|channels|chats|contacts|events|files|labels|messages|templates|users|webhooks)';
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
    only('base', ['base'], 'The base layer imports nothing of ours.'),
    only('db', ['db', 'base'], 'The database layer imports the base layer only.'),
    only('search', ['search', 'base'], 'The grammar imports the base layer only.'),
    only('outbound', ['outbound', 'base'], 'The guarded client imports the base layer only.'),
    only('engine', ['engine', 'base', 'db', 'search', 'outbound'], 'The engine knows no module.'),
    only('http', ['http', 'base', 'db', 'search', 'outbound'], 'HTTP knows no module.'),
    only(
      'providers',
      ['providers', 'base', 'outbound'],
      'Providers know neither modules, engine nor database.',
    ),
    only(
      'v2',
      ['v2', 'base', 'db', 'http', 'outbound', modules],
      'Version 2 stands on the operations and schemas of modules.',
    ),
    {
      name: 'v2-owns-no-table',
      comment: 'What version 2 needs of the database is an operation of the module that owns the table.',
      severity: 'error',
      from: { path: `${src}/v2/` },
      to: { path: `${src}/db/`, pathNot: `${src}/db/database\\.ts$` },
    },
    {
      name: 'nobody-stands-on-v2',
      comment:
        'Version 2 ends in one commit: the app lists it, the program tells of it, and nobody else knows it.',
      severity: 'error',
      from: { path: src, pathNot: `${src}/(v2/|(app|main)\\.ts$)` },
      to: { path: `${src}/v2/` },
    },
    {
      name: 'cli-stands-on',
      comment: 'The tools talk to a server and carry nothing of it, but sign as it does.',
      severity: 'error',
      from: { path: `${src}/cli/` },
      to: {
        path: src,
        pathNot: [`${src}/(cli|base)/`, `${src}/version\\.ts$`, `${src}/webhooks/payload\\.ts$`],
      },
    },
    {
      name: 'nobody-stands-on-cli',
      severity: 'error',
      from: { path: src, pathNot: `${src}/cli/` },
      to: { path: `${src}/cli/` },
    },
    {
      name: 'modules-below-the-composition-root',
      comment: 'No module imports the composition root.',
      severity: 'error',
      from: { path: `${src}/(${modules}|v2)/` },
      to: { path: top },
    },
    {
      name: 'routes-belong-to-the-app',
      comment: "A module's routes are named in app.ts and nowhere else.",
      severity: 'error',
      from: { path: src, pathNot: `${src}/app\\.ts$` },
      to: { path: `${src}/${modules}/([a-z-]*routes|provider-route)\\.ts$` },
    },
    {
      name: 'providers-keep-to-themselves',
      comment:
        'One vendor does not reach into another. What Meta’s two share is a folder of its own, and the sandbox stands in for all.',
      severity: 'error',
      from: { path: `${src}/providers/([^/]+)/`, pathNot: `${src}/providers/sandbox/` },
      to: { path: `${src}/providers/[^/]+/`, pathNot: [`${src}/providers/$1/`, `${src}/providers/meta/`] },
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
