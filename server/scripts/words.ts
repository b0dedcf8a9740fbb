// The words that the project does not use, and the plain ones to use instead. `npm run words` finds them.

/**
 * Where a rule looks. `code` in prose (a name between backticks in a comment or in Markdown) counts as an identifier.
 * `variables` are the names of declared variables: for words that are fine as names of properties.
 */
export type Place =
  | 'identifiers'
  | 'variables'
  | 'files'
  | 'sql'
  | 'comments'
  | 'strings'
  | 'docs'
  | 'descriptions';

export interface Exception {
  /** Matches the path from the root. Left out: every file. */
  file?: RegExp;
  /** Matches the line in which the word stands. Left out: every line. */
  line?: RegExp;
  reason: string;
}

export interface Rule {
  /** Words separated by spaces, also as parts of names: `lane` finds `lane`, `byLane`, `LANE_COUNT` and `lane_id`. */
  words?: string;
  /** A whole identifier, or a part of any other text. */
  pattern?: RegExp;
  /** What to write. */
  instead: string;
  where: readonly Place[];
  /** The only files in which the rule holds; for words that have other, good meanings elsewhere. */
  files?: RegExp;
  except?: readonly Exception[];
}

/** Files that are not checked. */
export const exempt: readonly { file: RegExp; reason: string }[] = [
  { file: /^package-lock\.json$/, reason: 'names of packages' },
  { file: /^server\/scripts\/words\.ts$/, reason: 'this list' },
  { file: /^sdk\/src\/generated\//, reason: 'the words of the API document, which is checked itself' },
  { file: /^LICENSE$/, reason: 'not our words' },
  { file: /^server\/migrations\/takeover\//, reason: 'renames what older databases have' },
  { file: /^server\/test\/kit\/schema-0022\.sql$/, reason: 'the schema of older databases' },
  { file: /^server\/bench\/shards\.ts$/, reason: 'reads the columns of older commits' },
];

const NAMES = ['identifiers', 'files', 'sql'] as const;
const PROSE = ['comments', 'strings', 'docs', 'descriptions'] as const;
const EVERYWHERE = [...NAMES, ...PROSE] as const;

/** Where contacts used to be called people. Those who log in are people still. */
const CONTACTS =
  /^console\/src\/phone\/|^server\/(?!.*\/(users|people)[./-])(src\/(contacts|messages|campaigns|automations|chats|providers|demo|cli|channels)\/|bench\/|test\/)/;
/** Injected failures are faults: the sandbox's `POST …/faults`, and the suite that kills processes. */
const INJECTED: readonly Exception[] = [
  { file: /^server\/test\/(faults|soak)\//, reason: 'the suites that inject failures' },
  {
    file: /^server\/(src|test)\/.*(sandbox|faults)|^console\/src\/phone\//,
    line: /faults/i,
    reason: 'failures that the sandbox simulates are called faults in the public API',
  },
  { line: /sandbox_?fault|\/faults\b/i, reason: 'failures that the sandbox simulates are called faults' },
];

export const rules: readonly Rule[] = [
  // Banned everywhere.
  {
    words: 'lane lanes',
    instead: 'ordering key (engine) or connection (outbound)',
    where: EVERYWHERE,
  },
  {
    words: 'furniture furnish furnishes furnished furnishing',
    instead: 'fixtures, createFixtures',
    where: EVERYWHERE,
  },
  { words: 'workshop workshops', instead: 'process pool', where: [...NAMES, 'comments', 'docs'] },
  { words: 'fate fates fated', instead: 'recipient status', where: EVERYWHERE },
  { words: 'told', instead: 'published (events), reported, said or sent', where: EVERYWHERE },
  {
    words: 'judge judges judged judging judgement judgment',
    instead: 'validate, classify; ValidatedDraft',
    where: EVERYWHERE,
  },
  { words: 'reseal reseals resealed resealing', instead: 're-encrypt', where: EVERYWHERE },
  { words: 'seize seizes seized seizing', instead: 'acquireAll, acquire', where: EVERYWHERE },
  { words: 'mend mends mended mending', instead: 'fix, repair, correct', where: EVERYWHERE },
  {
    words: 'anew afresh',
    instead: 'again',
    where: EVERYWHERE,
    except: [],
  },
  {
    words: 'hint hints hinted hinting',
    instead: 'wake-up; Notifier with notify, subscribe, relay',
    where: EVERYWHERE,
    except: [
      { line: /103 Early Hints/, reason: 'the name of an HTTP status' },
      { line: /\b[a-zA-Z]+Hint\b/, file: /mcp/, reason: 'names of the Model Context Protocol' },
      { line: /'OptimizationHints'/, reason: 'a name of Chromium' },
    ],
  },
  { words: 'whoever', instead: 'callers, or name who it is', where: EVERYWHERE },
  { words: 'verdict verdicts', instead: 'decision; SendResult for a send', where: EVERYWHERE },
  { words: 'stretch stretches stretched', instead: 'step batch', where: EVERYWHERE },
  { words: 'stranger strangers', instead: 'unknown sender', where: EVERYWHERE },
  {
    words: 'complain complains complained complaining',
    instead: 'addIssue, report an issue',
    where: EVERYWHERE,
  },
  { words: 'roof roofs', instead: 'composition root', where: EVERYWHERE },
  { words: 'hasty', instead: 'throwawayConfig', where: EVERYWHERE },
  { words: 'patience', instead: 'TIMEOUT_MS', where: EVERYWHERE },

  // Phrases.
  { pattern: /\bwork[- ]lists?\b/gi, instead: 'queue', where: [...PROSE, 'files'] },
  { pattern: /\bis no error\b/gi, instead: 'is not an error', where: PROSE },
  { pattern: /\b(?:is|are) there already\b/gi, instead: 'already exists', where: PROSE },
  { pattern: /\bdear(?:er|est)?\b/g, instead: 'costly, more costly', where: PROSE },
  {
    pattern: /\bthe house\b/gi,
    instead: 'the codebase, Parley',
    where: PROSE,
  },
  { pattern: /\bground floor\b/gi, instead: 'base layer', where: PROSE },
  { pattern: /\bin rows, not in turn\b/gi, instead: 'batching per event-loop tick', where: PROSE },

  // Names only: in a sentence these are ordinary words, or have a good meaning elsewhere.
  { pattern: /^work_?lists?$|^worksByList$|[a-z]WorkLists?$/i, instead: 'queue, queues', where: NAMES },
  { words: 'works', instead: 'queues', where: NAMES },
  { words: 'slot slots', instead: 'shard, shards', where: NAMES },
  { pattern: /^leaving$/, instead: 'draining', where: NAMES },
  {
    pattern: /^(?:give|hear|pass|broadcast)$/i,
    instead: 'notify, subscribe, relay; Notifier',
    where: ['identifiers'],
    files: /^server\/src\/engine\//,
  },
  { pattern: /^(?:tell|tells|tell[A-Z]\w*)$/, instead: 'publish…, report…', where: ['identifiers'] },
  {
    words: 'fault faults faulty',
    instead: 'issue (validation) or error (vendor); validateX for faultsOfX',
    where: NAMES,
    except: INJECTED,
  },
  { words: 'together', instead: 'batch, corkUntilTick, the project default', where: NAMES },
  {
    pattern: /^(?:reading|readings|readers?)$/i,
    instead: 'schema walker, rules (automations), query plan (search)',
    where: ['identifiers', 'files'],
    files: /^server\/(src|test\/unit)\/(automations?|search)\b/,
  },
  {
    words: 'desk desks reception',
    instead: 'request lifecycle, router dependencies',
    where: ['identifiers', 'files'],
  },
  { words: 'gate gates', instead: 'router dependencies, channel credentials', where: NAMES },
  {
    words: 'world worlds',
    instead: 'run context (automations), fixtures or environment (bench)',
    where: ['identifiers', 'files'],
    except: [{ line: /openWorldHint/, reason: 'a name of the Model Context Protocol' }],
  },
  {
    words: 'actor actors',
    instead: 'run context',
    where: ['identifiers', 'files'],
    except: [
      {
        file: /audit|people\/(schema|example)/,
        reason: 'the established word for who did what, in audit logs',
      },
    ],
  },
  { pattern: /^Done$/, instead: 'EffectResult', where: ['identifiers'] },
  { pattern: /^doing$/, instead: 'name the effect or the phase', where: ['identifiers'] },
  { pattern: /^chats_?-?with$/i, instead: 'resolveChats', where: NAMES },
  { pattern: /^chat_?-?after$/i, instead: 'nextChatState', where: NAMES },
  { pattern: /^handles_?-?after$/i, instead: 'mergeHandles', where: NAMES },
  { words: 'peer peers', instead: 'contact, sender', where: NAMES },
  {
    words: 'people persons',
    instead: 'contacts',
    where: NAMES,
    files: CONTACTS,
    except: [{ file: /^server\/test\/kit\/(bare-)?server\.ts$/, reason: 'those who log in' }],
  },
  { words: 'doubles', instead: 'duplicates', where: NAMES },
  {
    pattern: /^at$/,
    instead: 'exampleParams, or createdAt and the like',
    where: ['variables'],
    files: /(routes|example|v2\/broadcasts)\.ts$/,
  },
  { pattern: /^ofTests$/, instead: 'testRunner', where: ['identifiers'] },
  { pattern: /^alone$/, instead: 'isSoleProcess', where: ['identifiers'] },
  { words: 'parked', instead: 'pending', where: NAMES },
  { words: 'strike strikes struck', instead: 'delete', where: NAMES },
  {
    pattern: /^(?:mark|marks|marks?In|marks?Of)$/,
    instead: 'keyPrefix',
    where: ['identifiers', 'sql'],
    files: /crypto|secret|rotate|encrypt|reseal/,
  },
  {
    pattern: /^open(?:WithAny)?$/,
    instead: 'decrypt',
    where: ['identifiers'],
    files: /crypto|secret|rotate|encrypt|reseal/,
  },
  {
    pattern: /^needs$|Needs$/,
    instead: 'deps, XDeps, or a transaction that carries them',
    where: ['identifiers'],
  },
];
