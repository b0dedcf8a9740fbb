import { describe, expect, it } from 'vitest';
import { trimReply } from '../../../../src/providers/smtp/trim-reply.ts';

const trim = (...lines: string[]) => trimReply(lines.join('\n'), 'Re: Order', true).text;

describe('a reply', () => {
  it.each([
    'On Mon, May 6, 2024 at 10:12 AM Ada Lovelace <ada@example.com> wrote:',
    'Am Mo., 6. Mai 2024 um 10:12 Uhr schrieb Ada Lovelace <ada@example.com>:',
    'Am 06.05.24 um 10:12 schrieb Ada Lovelace:',
    'Le lun. 6 mai 2024 à 10:12, Ada Lovelace <ada@example.com> a écrit :',
    'El lun, 6 may 2024 a las 10:12, Ada Lovelace (<ada@example.com>) escribió:',
    'Il giorno lun 6 mag 2024 alle ore 10:12 Ada Lovelace <ada@example.com> ha scritto:',
    'Em seg., 6 de mai. de 2024 às 10:12, Ada Lovelace <ada@example.com> escreveu:',
    'Op ma 6 mei 2024 om 10:12 schreef Ada Lovelace <ada@example.com>:',
    'pon., 6 maj 2024 o 10:12 Ada Lovelace <ada@example.com> napisał(a):',
    'W dniu 6.05.2024 o 10:12, Ada Lovelace pisze:',
    'Den mån 6 maj 2024 kl 10:12 skrev Ada Lovelace <ada@example.com>:',
    'Den man. 6. maj 2024 kl. 10.12 skrev Ada Lovelace <ada@example.com>:',
    'пн, 6 мая 2024 г. в 10:12, Ada Lovelace <ada@example.com>:',
    '06.05.2024 10:12, Ada Lovelace пишет:',
    'Ada Lovelace <ada@example.com>, 6 May 2024 Pzt, 10:12 tarihinde şunu yazdı:',
  ])('ends before %j, whether or not quotation marks follow', (introduction) => {
    expect(trim('Yes, please.', '', introduction, '', '> How many?', '> Two?')).toBe('Yes, please.');
    expect(trim('Yes, please.', '', introduction, '', 'How many?', '', 'Two?')).toBe('Yes, please.');
  });

  it('ends before an introduction over several lines', () => {
    const introduction = ['On Mon, May 6, 2024 at 10:12 AM Ada Lovelace', '<ada@example.com> wrote:'];
    expect(trim('I come on 7 May 2024.', ...introduction, '> When?')).toBe('I come on 7 May 2024.');
  });

  it.each([
    ['From', 'Sent', 'To', 'Subject'],
    ['Von', 'Gesendet', 'An', 'Betreff'],
    ['De', 'Envoyé', 'À', 'Objet'],
    ['De', 'Enviado el', 'Para', 'Asunto'],
    ['Da', 'Inviato', 'A', 'Oggetto'],
    ['De', 'Enviado', 'Para', 'Assunto'],
    ['Van', 'Verzonden', 'Aan', 'Onderwerp'],
    ['Od', 'Wysłano', 'Do', 'Temat'],
    ['Från', 'Skickat', 'Till', 'Ämne'],
    ['Fra', 'Sendt', 'Til', 'Emne'],
    ['От', 'Отправлено', 'Кому', 'Тема'],
    ['Kimden', 'Gönderildi', 'Kime', 'Konu'],
  ])('ends before the header of Outlook: %s, %s, %s, %s', (from, sent, to, subject) => {
    const header = [`${from}: Ada`, `${sent}: 06.05.2024 10:12`, `${to}: Shop`, `${subject}: Order`];
    expect(trim('Yes.', '', '________________________________', ...header, '', 'How many?')).toBe('Yes.');
    expect(trim('Yes.', '', ...header.map((line) => line.replace(/^(\S+):/, '*$1:*')), '', 'How?')).toBe(
      'Yes.',
    );
  });

  it('ends before a header in any language under the line of Outlook', () => {
    expect(
      trim('Yes.', '', '________________________________', 'Xyz: Ada', 'Abc: 6', 'Def: Shop', '', 'How?'),
    ).toBe('Yes.');
  });

  it.each([
    '-----Original Message-----',
    '-----Ursprüngliche Nachricht-----',
    "-----Message d'origine-----",
    '----- Mensaje original -----',
    '-----Messaggio originale-----',
    '-----Mensagem original-----',
    '-----Oorspronkelijk bericht-----',
    '-----Исходное сообщение-----',
  ])('ends before %j', (line) => {
    expect(trim('Yes.', '', line, 'How many?')).toBe('Yes.');
  });

  it.each([
    'Sent from my iPhone',
    'Von meinem iPhone gesendet',
    'Envoyé de mon iPhone',
    'Enviado desde mi iPhone',
    'Inviato da iPhone',
    'Enviado do meu iPhone',
    'Verstuurd vanaf mijn iPhone',
    'Wysłane z iPhone’a',
    'Skickat från min iPhone',
    'Sendt fra min iPhone',
    'Отправлено с iPhone',
    'iPhone’umdan gönderildi',
    'Get Outlook for iOS',
  ])('has no %j at its end', (line) => {
    expect(trim('Yes.', '', line)).toBe('Yes.');
    expect(trim('Yes.', line, '', 'On 6 May 2024, at 10:12, Ada wrote:', '', '> How?')).toBe('Yes.');
    expect(trim('Yes.', line, 'No.')).toBe(`Yes.\n${line}\nNo.`);
  });

  it('has no signature, and no notes of a mailing list', () => {
    expect(trimReply('Yes.\n\n-- \nAda\nShop', '', false)).toEqual({
      text: 'Yes.',
      quotedText: '-- \nAda\nShop',
    });
    expect(trim('Yes.', '', '_'.repeat(40), 'shop mailing list', 'https://lists.shop.test')).toBe('Yes.');
    const long = ['--', ...Array.from({ length: 30 }, (_, n) => `line ${n}`)];
    expect(trim('Yes.', ...long)).toBe(['Yes.', ...long].join('\n'));
  });

  it('keeps what is written between and below quoted lines', () => {
    expect(
      trim('On 6 May 2024, at 10:12, Ada wrote:', '> How many?', 'Two.', '> When?', '> Where?', '', 'Today.'),
    ).toBe('Two.\n\nToday.');
    expect(trim('Ada Lovelace wrote:', '> How many?', '', 'Two.')).toBe('Two.');
  });

  it('that is forwarded stays whole', () => {
    const forwarded =
      'See below.\n\n---------- Forwarded message ---------\nFrom: Ada <ada@example.com>\n\nHow many?';
    expect(trimReply(forwarded, '', false)).toEqual({ text: forwarded, quotedText: null });
    const apple = 'Begin forwarded message:\n\n> From: Ada';
    expect(trimReply(apple, '', false).text).toBe(apple);
    const outlook = 'See below.\n\nFrom: Ada\nSent: today\nTo: Shop\nSubject: Order\n\nHow?';
    expect(trimReply(outlook, 'WG: Order', false).text).toBe(outlook);
    expect(trimReply(outlook, 'AW: WG: Order', false).text).toBe('See below.');
  });

  it.each([
    ['> Only a quotation'],
    ['Sent from my iPhone'],
    ['From: Ada\nSent: today\nTo: Shop\nSubject: Order\n\nHow many?'],
    ['Am 3. Mai 2024 schrieb ich Ihnen Folgendes:\n\nWo ist mein Paket?'],
    ['On page 5 the author wrote:\n\nNothing.'],
    ['A transfer, please.\nFrom: Airport\nTo: Hotel\nDate: 6 May\nFor two.'],
    ['The price is\n--- see below ---\n5'],
    ['Hello\n\nSent from Berlin with love, and then more of this text'],
  ])('%j stays as it is', (text) => {
    expect(trimReply(text, '', false)).toEqual({ text, quotedText: null });
  });

  it.each([
    ['> Only a quotation'],
    ['Sent from my iPhone'],
    ['On 6 May 2024, at 10:12, Ada wrote:\n> How many?'],
    ['From: Ada\nSent: today\nTo: Shop\nSubject: Order\n\nHow many?'],
  ])('in which nothing was written has no text: %j', (text) => {
    expect(trimReply(text, 'Re: Order', true)).toEqual({ text: '', quotedText: text });
  });

  it('of any form is trimmed in one pass', () => {
    for (const line of [
      '--\n',
      '> a\nb\n',
      'From: a@b\n',
      'On 1 wrote wrote <a@b> wrote x:\n',
      '\n',
      '_____\n',
    ])
      expect(trimReply(line.repeat(500_000 / line.length), '', false).text.length).toBeGreaterThan(0);
  });
});
