import { describe, expect, it } from 'vitest';
import { checkFile } from '../../../scripts/check-words.ts';
import { type Rule, rules } from '../../../scripts/words.ts';

const list: readonly Rule[] = [
  {
    words: 'gadget gadgets',
    instead: 'tool',
    where: ['identifiers', 'files', 'sql', 'comments', 'strings', 'docs', 'descriptions'],
    except: [{ file: /^guide\/old\.md$/, line: /vendor/, reason: 'a vendor calls it so' }],
  },
  { pattern: /^fetch[A-Z]\w*$/, instead: 'read…', where: ['identifiers'] },
  { pattern: /\bin a jiffy\b/gi, instead: 'soon', where: ['comments', 'docs'] },
  { words: 'crate', instead: 'box', where: ['sql'] },
  { pattern: /^at$/, instead: 'params', where: ['variables'], files: /routes\.ts$/ },
];
const found = (file: string, text: string): string[] =>
  checkFile(file, text, list).map(({ line, found: word, instead }) => `${line} ${word} → ${instead}`);

describe('the check of words', () => {
  it.each([
    ['const myGadget = 1;', '1 myGadget → tool'],
    ['const a = {\n  MY_GADGETS: 1,\n};', '2 MY_GADGETS → tool'],
    ['const a = 1;\n// A gadget of ours.', '2 gadget → tool'],
    ["const a = 'Gadgets';", '1 Gadgets → tool'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code that is checked has a template
    ['const a = `a ${1} gadget ${2}`;', '1 gadget → tool'],
    ['fetchRows();', '1 fetchRows → read…'],
    ['/* Ends with `fetchRows()`. */', '1 fetchRows → read…'],
    ['/** Ends\n * in a jiffy. */', '2 in a jiffy → soon'],
    ["const a = 'select crate from b';", '1 crate → box'],
    ["const a = statement('crate.find', '');", '1 crate → box'],
  ])('finds a word in %j', (text, expected) => expect(found('a.ts', text)).toEqual([expected]));

  it.each([
    'const inGadgetry = 1;',
    'prefetchRows(); fetch();',
    "const a = 'a crate'; // crate",
    "const a = 'in a jiffy';",
    'const a = /in a jiffy/; const b = "// in a jiffy";',
  ])('passes %j', (text) => expect(found('a.ts', text)).toEqual([]));

  it('checks names of files, SQL, Markdown and the descriptions of the API', () => {
    expect(found('server/src/find-gadget.ts', '')).toEqual(['1 gadget → tool']);
    expect(found('a.tsx', 'const a = <b c={useGadget()}>A gadget</b>;')).toEqual([
      '1 useGadget → tool',
      '1 gadget → tool',
    ]);
    expect(found('a.sql', '-- A crate.\ncreate table crate ();')).toEqual(['2 crate → box']);
    expect(found('README.md', '# Parley\n\nA gadget, in a jiffy.')).toEqual([
      '3 gadget → tool',
      '3 in a jiffy → soon',
    ]);
    expect(found('openapi/v3.json', '{ "gadget": {\n"summary": "Make a gadget" } }')).toEqual([
      '2 gadget → tool',
    ]);
  });

  it('holds a rule only in the files that it names', () => {
    expect(found('a.ts', 'const at = list.at(1);')).toEqual([]);
    expect(found('routes.ts', 'const at = list.at(1);')).toEqual(['1 at → params']);
  });

  it('honours an exception in its file and on its line only', () => {
    const text = 'The gadget of the vendor.\nOur gadget.';
    expect(found('guide/old.md', text)).toEqual(['2 gadget → tool']);
    expect(found('guide/new.md', text)).toEqual(['1 gadget → tool', '2 gadget → tool']);
  });

  it('has a reason for every exception, and a replacement for every word', () => {
    for (const { instead, except } of rules) {
      expect(instead).not.toBe('');
      for (const { reason } of except ?? []) expect(reason).not.toBe('');
    }
  });

  it.each(['recommend', 'amended', 'planet', 'misjudged', 'unhinted'])('takes %s for another word', (word) =>
    expect(checkFile('a.md', word)).toEqual([]));
});
