import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { guidePath, headingId, plainText } from '../../../src/http/guides.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => pattern.test(file))
    .sort();
}

interface Page {
  links: string[];
  anchors: Set<string>;
}

function read(file: string): Page {
  const marked = new Marked();
  const links: string[] = [];
  const anchors = new Set<string>();
  const taken = new Map<string, number>();
  marked.walkTokens(marked.lexer(readFileSync(`${root}${file}`, 'utf8')), (token: Token) => {
    if (token.type === 'link' || token.type === 'image') links.push(token.href);
    if (token.type === 'heading') anchors.add(headingId(plainText(token.tokens ?? []), taken));
  });
  return { links, anchors };
}

const names = [...readdirSync(root).filter((file) => file.endsWith('.md')), ...filesIn('docs', /\.md$/)];
const pages = new Map(names.map((file) => [file, read(file)]));
const isRelative = (link: string): boolean => !/^([a-z]+:|\/)/i.test(link);
const targetOf = (file: string, link: string): string =>
  link.startsWith('#') ? file : posix.join(posix.dirname(file), link.split('#', 1)[0] as string);

describe('the links of the documentation', () => {
  it.each(names)('%s links only to files and headings that exist', (file) => {
    const broken = (pages.get(file) as Page).links.filter(isRelative).filter((link) => {
      const target = targetOf(file, link);
      const anchor = link.split('#')[1];
      if (!existsSync(`${root}${target}`)) return true;
      return anchor !== undefined && !pages.get(target)?.anchors.has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(['use', 'operate', 'develop'])('docs/%s/README.md links to every page of its folder', (folder) => {
    const index = `docs/${folder}/README.md`;
    const linked = new Set((pages.get(index) as Page).links.map((link) => targetOf(index, link)));
    expect(
      names.filter((file) => file.startsWith(`docs/${folder}/`) && file !== index && !linked.has(file)),
    ).toEqual([]);
  });

  it('of guides that a server serves lead to guides that it serves', () => {
    const served = names.filter((file) => guidePath(file.replace(/^docs\//, '')) !== undefined);
    const elsewhere = served.flatMap((file) =>
      (pages.get(file) as Page).links
        .filter(isRelative)
        .filter((link) => !served.includes(targetOf(file, link)))
        .filter((link) => !/^docs\/images\/[a-z0-9-]+\.png$/.test(targetOf(file, link)))
        .map((link) => `${file}: ${link}`),
    );
    expect(elsewhere).toEqual([]);
  });
});

it('every page that the code names exists', () => {
  const sources = ['src', 'bin', 'scripts', 'test', 'bench'].flatMap((folder) =>
    filesIn(`server/${folder}`, /\.(ts|js)$/),
  );
  const missing = sources.flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/(?<![\w/.:])docs\/[\w/-]+\.md/g)]
      .map(([page]) => page)
      .filter((page) => !existsSync(`${root}${page}`))
      .map((page) => `${file}: ${page}`),
  );
  expect(missing).toEqual([]);
});
