import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { InboundMessage } from '../../../../src/providers/inbound-event.ts';
import { smtp } from '../../../../src/providers/smtp/smtp.ts';
import { NOW } from '../../../kit/adapter-context.ts';

const channel = {
  id: newId(),
  tenantId: newId(),
  kind: 'email' as const,
  address: 'help@shop.test',
  config: smtp.configure({ from: 'help@shop.test', smtp: { host: 'a', port: 25 } }, {}),
};
const parse = (body: string) =>
  smtp.parseInbound({ url: '', headers: {}, body: Buffer.from(body), receivedAt: NOW }, channel);

describe('a malicious mail', () => {
  it('is parsed or refused, however deep its parts are nested', async () => {
    const depth = 3_000;
    const head = Array.from(
      { length: depth },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    await Promise.allSettled([parse(`From: a@b.c\r\n${head.join('')}Content-Type: text/plain\r\n\r\nHello`)]);
    expect(await parse('From: a@b.c\r\n\r\nHello')).toMatchObject([{ text: 'Hello' }]);
  });

  it.each([
    '<div>',
    '<table><tr><td>',
    '<ul><li>',
    '<blockquote>',
    '<style>',
    '<!--',
    '<',
    '&lt;',
    '&amp',
    '<a href="https://x.test">',
    '<div class="yahoo_quoted">',
    '<br> ',
  ])('is parsed, however deep %s is nested', async (tag) => {
    const html = `deep${tag.repeat(Math.min(60_000, 999_000 / tag.length))}`;
    const [event] = await parse(`From: a@b.c\r\nContent-Type: text/html\r\n\r\n${html}`);
    const { text, content } = event as InboundMessage;
    expect([content.html === html, text?.startsWith('deep')]).toEqual([true, true]);
  });

  it('has at most a hundred files, and no more text than a message may have', async () => {
    const file = '--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n';
    const [event] = await parse(
      `From: a@b.c\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'long '.repeat(200_000)}\r\n${file.repeat(500)}--b--`,
    );
    const { media, text } = event as InboundMessage;
    expect([media.length, Number(text?.length) <= 500_000]).toEqual([100, true]);
  });

  it('with very many headers and recipients is parsed', async () => {
    const [event] = await parse(
      `From: a@b.c\r\nReferences: ${'<x@y> <z@y> '.repeat(20_000)}\r\nCc: ${'a@b.c, '.repeat(20_000)}\r\n\r\nHello`,
    );
    const { replyTo, content } = event as InboundMessage;
    expect([replyTo, (content.cc as string[]).length]).toEqual([['<z@y>', '<x@y>'], 100]);
  });
});
