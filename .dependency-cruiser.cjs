// Who may import whom. docs/develop/architecture.md explains the rules.
const src = '^server/src';
const modules =
  '(access|attributes|automations|campaigns|channels|chats|contacts|events|files|hours|imports|jobs|labels|messages|notes|notifications|people|reports|saved-replies|segments|templates|users|views|webhooks)';
const top = `${src}/[^/]+\\.ts$`;

const only = (from, allowed, comment) => ({
  name: `imports-of-${from}`,
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
    only(
      'sandboxed',
      ['sandboxed', 'base'],
      'The pool knows no task: task-threads.ts names them at the composition root.',
    ),
    only(
      'engine',
      ['engine', 'base', 'db', 'search', 'outbound', 'sandboxed'],
      'The engine knows no module.',
    ),
    only('http', ['http', 'base', 'db', 'search', 'outbound', 'sandboxed'], 'HTTP knows no module.'),
    only('mcp', ['mcp', 'http', 'base'], 'Assistants call operations through the API, like everybody else.'),
    only(
      'providers',
      ['providers', 'base', 'outbound'],
      'Providers know neither modules, engine nor database.',
    ),
    only(
      'v2',
      ['v2', 'base', 'db', 'http', 'outbound', modules],
      'Version 2 uses the operations and schemas of modules.',
    ),
    {
      name: 'only-the-guarded-client-connects',
      comment:
        'Whatever calls out uses outbound/: it checks every address. The tools call the server of their user, and others only listen or parse addresses.',
      severity: 'error',
      from: {
        path: src,
        pathNot: [
          `${src}/(outbound|cli)/`,
          `${src}/base/(config-values|network)\\.ts$`,
          `${src}/(ports|db/embedded/place)\\.ts$`,
        ],
      },
      to: {
        path: '^(node:)?(net|tls|http|https|http2|dns|dns/promises|dgram)$|(^|/)node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'v2-owns-no-table',
      comment: 'What version 2 needs of the database is an operation of the module that owns the table.',
      severity: 'error',
      from: { path: `${src}/v2/` },
      to: { path: `${src}/db/`, pathNot: `${src}/db/database\\.ts$` },
    },
    {
      name: 'only-the-root-imports-v2',
      comment: 'Version 2 ends in one commit: nothing imports it but the list of APIs.',
      severity: 'error',
      from: { path: src, pathNot: `${src}/(v2/|(app|main)\\.ts$)` },
      to: { path: `${src}/v2/` },
    },
    {
      name: 'imports-of-cli',
      comment:
        'The tools talk to a server over HTTP and import none of its modules, except how a payload is signed and what assistants can call.',
      severity: 'error',
      from: { path: `${src}/cli/` },
      to: {
        path: src,
        pathNot: [
          `${src}/(cli|base)/`,
          `${src}/version\\.ts$`,
          `${src}/webhooks/payload\\.ts$`,
          `${src}/mcp/(tools|call-tool|create-server)\\.ts$`,
        ],
      },
    },
    {
      name: 'only-the-tools-import-the-client',
      comment: 'The server does not call itself over HTTP.',
      severity: 'error',
      from: { path: src, pathNot: `${src}/cli/` },
      to: { path: '(^|/)sdk/', pathNot: '@modelcontextprotocol/' },
    },
    {
      name: 'imports-of-the-client',
      comment: 'The client runs anywhere: it imports nothing but itself.',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'imports-of-console',
      comment: 'The console knows the server through the client only.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: { path: '^(server|sdk)/', pathNot: '^sdk/src/index\\.ts$' },
    },
    {
      name: 'screens-keep-to-themselves',
      comment:
        'A screen does not reach into another. Those before the login share its frame, and several begin an import.',
      severity: 'error',
      from: { path: '^console/src/screens/([^/]+)/' },
      to: {
        path: '^console/src/screens/[^/]+/',
        pathNot: [
          '^console/src/screens/$1/',
          '^console/src/screens/login/',
          '^console/src/screens/imports/import-dialog\\.tsx$',
        ],
      },
    },
    {
      name: 'parts-know-no-screen',
      severity: 'error',
      from: {
        path: '^console/src/(api|contact-filter|contact-form|explain|flow|hours|i18n|keys|live|notifications|phone|timeline|ui)/',
      },
      to: { path: '^console/src/screens/' },
    },
    {
      name: 'nothing-imports-cli',
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
      comment: "A module's routes are named in v3-api.ts, the rest of HTTP in app.ts, and nowhere else.",
      severity: 'error',
      from: { path: src, pathNot: `${src}/(app|v3-api)\\.ts$` },
      to: { path: `${src}/${modules}/([a-z-]*routes|provider-route)\\.ts$` },
    },
    {
      name: 'providers-keep-to-themselves',
      comment:
        'One vendor does not reach into another. What the two vendors of Meta share has its own folder; the sandbox simulates all vendors.',
      severity: 'error',
      from: { path: `${src}/providers/([^/]+)/`, pathNot: `${src}/providers/sandbox/` },
      to: { path: `${src}/providers/[^/]+/`, pathNot: [`${src}/providers/$1/`, `${src}/providers/meta/`] },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      // console/build.js makes the virtual ones.
      to: { couldNotResolve: true, pathNot: '^virtual:' },
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
