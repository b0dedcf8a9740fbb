import { readdir, readFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Marked, Token, Tokens } from 'marked';
import { basePathOf } from './base-path.ts';
import { GUIDES_CSS } from './guides-style.ts';

export const GUIDES_PATH = '/docs/guides';

/** The folders of docs/ that are served. Contributors read docs/develop in the repository. */
const SERVED = ['use', 'operate'];

const PAGE_CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0f766e" d="M4 5h24v17H15l-7 6v-6H4z"/></svg>',
)}`;

/** The path of a file of docs/: use/webhooks.md is served at /docs/guides/webhooks, operate/README.md at /docs/guides/operate. */
export function guidePath(file: string): string | undefined {
  if (!SERVED.includes(file.split('/', 1)[0] as string) || !file.endsWith('.md')) return undefined;
  const name = file.replace(/^use\//, '').replace(/(^|\/)README\.md$|\.md$/, '');
  return name === '' ? GUIDES_PATH : `${GUIDES_PATH}/${name}`;
}

/** The id of a heading, as GitHub generates it, so that links with an anchor work in both places. */
export function headingId(text: string, taken: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = taken.get(id) ?? 0;
  taken.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The text of a heading without formatting. */
export const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : (token as Tokens.Text).text,
    )
    .join('');

interface Section {
  id: string;
  title: string;
}

interface RenderedPage {
  title: string;
  sections: Section[];
  html: string;
}

function renderMarkdown(marked: Marked, file: string, markdown: string): RenderedPage {
  const taken = new Map<string, number>();
  const sections: Section[] = [];
  let title = 'Guides';
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens);
        const id = headingId(text, taken);
        if (depth === 1) title = text;
        if (depth === 2) sections.push({ id, title: text });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(file, href);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const source = resolvePicture(file, href);
        return source === undefined ? '' : `<img src="${source}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
    },
  });
  const html = (marked.parse(markdown, { async: false }) as string)
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title, sections, html };
}

/** Returns undefined for a link to a file that is not served. */
function resolveLink(file: string, href: string): string | undefined {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = guidePath(posix.join(posix.dirname(file), path));
  return target && (anchor === undefined ? target : `${target}#${anchor}`);
}

/** The pictures of the guides: docs/images/inbox.png is served at /docs/guides/images/inbox.png. */
const PICTURE = /^[a-z0-9-]+\.png$/;

/** Returns undefined for a picture that is not served. */
function resolvePicture(file: string, href: string): string | undefined {
  const { dir, base } = posix.parse(posix.join(posix.dirname(file), href));
  return dir === 'images' && PICTURE.test(base) ? `${GUIDES_PATH}/images/${base}` : undefined;
}

interface MenuGroup {
  title: string;
  entries: { path: string; title: string }[];
}

/** The menu: the headings and list items of the two index pages, in their order. */
function menuOf(indexes: readonly { file: string; markdown: string }[]): MenuGroup[] {
  return indexes.flatMap(({ file, markdown }) => {
    const groups: MenuGroup[] = [];
    for (const line of markdown.split('\n')) {
      const heading = /^## (.+)$/.exec(line)?.[1];
      if (heading) groups.push({ title: heading, entries: [] });
      const [, title = '', href = ''] = /^- \[([^\]]+)\]\(([^)]+\.md)\)/.exec(line) ?? [];
      const path = title && resolveLink(file, href);
      if (path) groups.at(-1)?.entries.push({ path, title });
    }
    return groups;
  });
}

const menuHtml = (menu: readonly MenuGroup[], path: string, sections: readonly Section[]): string =>
  menu
    .map(({ title, entries }) => {
      const items = entries.map((entry) => {
        if (entry.path !== path) return `<li><a href="${entry.path}">${escapeHtml(entry.title)}</a></li>`;
        const inner = sections.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
        const list = inner.length === 0 ? '' : `<ul>${inner.join('')}</ul>`;
        return `<li><a href="${entry.path}" aria-current="page">${escapeHtml(entry.title)}</a>${list}</li>`;
      });
      return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');

/** Links to paths of this server, for readers below the path of a reverse proxy. Quotes in texts are escaped. */
const placeLinks = (html: string, basePath: string): string =>
  basePath === '' ? html : html.replaceAll('href="/', `href="${escapeHtml(basePath)}/`);

const document = (page: RenderedPage, menu: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Parley</title>
<link rel="icon" href="${escapeHtml(FAVICON)}">
<link rel="stylesheet" href="${GUIDES_PATH}/style.css">
</head>
<body>
<header><a class="name" href="${GUIDES_PATH}">Parley guides</a><a href="/docs">API reference</a></header>
<div class="columns">
<nav aria-label="Guides">${menu}</nav>
<main>
${page.html}</main>
</div>
</body>
</html>
`;

/** An installation without the folder docs/ has no guides. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

/** Every guide as HTML, by the path it is served at. */
async function renderGuides(folder: string, basePath: string): Promise<Map<string, string>> {
  const { Marked } = await import('marked');
  const files = (await listFiles(folder)).map((file) => file.replaceAll('\\', '/')).sort();
  const sources = await Promise.all(
    files
      .filter((file) => guidePath(file) !== undefined)
      .map(async (file) => ({ file, markdown: await readFile(resolve(folder, file), 'utf8') })),
  );
  const menu = menuOf(SERVED.flatMap((name) => sources.filter(({ file }) => file === `${name}/README.md`)));
  return new Map(
    sources.map(({ file, markdown }) => {
      const path = guidePath(file) as string;
      const page = renderMarkdown(new Marked(), file, markdown);
      const html = document(page, menuHtml(menu, path, page.sections));
      return [path, placeLinks(html, basePath)];
    }),
  );
}

const notFoundPage: RenderedPage = {
  title: 'Page not found',
  sections: [],
  html: `<h1>Page not found</h1>\n<p>There is no guide at this address. <a href="${GUIDES_PATH}">See all guides</a>.</p>\n`,
};

export const wantsHtml = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/html') === true;

/** Serves the guides of docs/use and docs/operate, and their pictures. The guides are rendered on first use. */
export async function guides(
  app: FastifyInstance,
  { folder, baseUrl }: { folder: string; baseUrl: () => string },
): Promise<void> {
  let pages: Promise<Map<string, string>> | undefined;
  const html = { 'content-security-policy': PAGE_CSP, 'cache-control': 'no-cache' };
  const options = { compress: {} };
  app.get(`${GUIDES_PATH}/style.css`, options, async (_request, reply) =>
    reply.headers({ 'cache-control': 'no-cache' }).type('text/css; charset=utf-8').send(GUIDES_CSS),
  );
  app.get<{ Params: { name: string } }>(`${GUIDES_PATH}/images/:name`, async ({ params }, reply) => {
    const path = resolve(folder, 'images', params.name);
    const bytes = PICTURE.test(params.name) ? await readFile(path).catch(() => undefined) : undefined;
    if (bytes === undefined) return reply.callNotFound();
    return reply.headers({ 'cache-control': 'no-cache' }).type('image/png').send(bytes);
  });
  for (const path of [GUIDES_PATH, `${GUIDES_PATH}/*`])
    app.get(path, options, async (request, reply) => {
      const basePath = basePathOf(baseUrl());
      pages ??= renderGuides(folder, basePath).catch((error) => {
        pages = undefined;
        throw error;
      });
      const asked = (request.url.split('?', 1)[0] as string).replace(/\/+$/, '');
      const page = (await pages).get(asked);
      if (page === undefined && !wantsHtml(request)) return reply.callNotFound();
      reply.headers(html).type('text/html; charset=utf-8');
      return page ?? reply.code(404).send(placeLinks(document(notFoundPage, ''), basePath));
    });
}
