/** The words by which mail programs introduce what they quote, in the languages of most of their users. */

const WROTE =
  'wrote|writes|schrieb|a écrit|écrit|escribió|escribio|ha scritto|scrive|escreveu|schreef|napisał(?:\\(a\\)|a|/a|o)?|pisze|skrev|написал(?:а|\\(а\\))?|пишет|написав|yazdı|kirjoitti|napsal(?:\\(a\\)|a)?|napísal|írta|a scris|έγραψε|va escriure|写道|寫道';
/** `… wrote:`, `… schrieb Ada <ada@example.com>:`. */
export const WROTE_END = new RegExp(
  `(?:^|[\\s>,)"'\u00a0])(?:${WROTE})(?:[\\s\u00a0,]?[^:]{0,200})?\\s?[:：]\\s*$`,
  'iu',
);
/** Gmail in Russian and other languages has no verb: `пт, 3 мая 2024 г. в 10:12, Ada <ada@example.com>:`. */
export const SENDER_END = /\d{1,2}[:.]\d{2}.{0,200}<[^<>\s]{1,100}@[^<>\s]{1,190}>\s?[:：]\s*$/u;
/** How such a line begins: with a preposition, a date, or a day of the week. */
export const WROTE_START =
  /^\s{0,3}(?:(?:on|am|le|el|il|em|op|den|dnia|w dniu|dne|vào|в)\s.{0,100}\d|\d{1,4}[-./年]\s?\d{1,2}|\p{L}{1,12}\.?,?\s{1,2}\d{1,2}\.?\s\p{L}|[^<>]{0,80}<[^<>\s]{1,100}@)/iu;
/** Something that says when or by whom. */
export const HAS_TIME_OR_ADDRESS = /(?<![\d.])\d{1,2}[:.h]\d{2}(?!\.?\d)|\S@\S/u;
export const HAS_DATE = /\b(?:19|20)\d\d\b|\d[./-]\d/u;

const ORIGINAL =
  "original message|original[- ]nachricht|ursprüngliche nachricht|message d'origine|message d’origine|message original|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|originele bericht|wiadomość oryginalna|oryginalna wiadomość|ursprungligt meddelande|originalmeddelande|oprindelig meddelelse|original meddelelse|opprinnelig melding|исходное сообщение|оригинальное сообщение|orijinal mesaj|özgün ileti|alkuperäinen viesti|původní zpráva|原始邮件|原始郵件|元のメッセージ|reply message|reply above";
/** `-----Original Message-----`. */
export const ORIGINAL_MESSAGE = new RegExp(
  `^\\s{0,3}[-_=*]{2,20}\\s{0,3}(?:${ORIGINAL})\\s{0,3}[-_=*]{0,20}\\s*$`,
  'iu',
);

const FORWARDED =
  'forwarded message|forwarded by|forwarded mail|weitergeleitete nachricht|message transféré|mensaje reenviado|messaggio inoltrato|mensagem (?:re)?encaminhada|doorgestuurd bericht|przekazana wiadomość|wiadomość przekazana|treść przekazanej wiadomości|vidarebefordrat meddelande|vidarebefordrade meddelande|videresendt (?:meddelelse|besked|melding)|пересылаемое сообщение|пересланное сообщение|пересылаемое письмо|iletilen (?:mesaj|ileti)|yönlendirilen|välitetty viesti|přeposlaná zpráva';
const BEGIN_FORWARDED =
  'begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato|início da mensagem (?:re)?encaminhada|begin doorgestuurd bericht|początek przekazywanej wiadomości|vidarebefordrat brev|start på videresendt (?:meddelelse|besked)|начало пересылаемого сообщения|iletilen ileti başlangıcı|iletilen mesajın başı';
export const FORWARDED_MESSAGE = new RegExp(
  `^\\s{0,3}(?:[-_=*]{2,20}\\s{0,3}(?:${FORWARDED})|(?:${BEGIN_FORWARDED})\\s{0,3}:?\\s*$)`,
  'iu',
);
/** `Fwd:`, `WG:`, `TR:` and others. `Re: Fwd:` is a reply. */
export const FORWARDED_SUBJECT =
  /^\s{0,3}(?:fwd?|wg|tr|rv|enc|doorst|pd|vb|i|ilt|vl|fs|переслать|пересл|転送|转发)\s{0,3}[:：]/iu;

const FROM =
  'from|von|de|da|van|od|från|fra|от|кого|kimden|gönderen|lähettäjä|expéditeur|remitente|mittente|afzender|feladó|发件人|寄件者|差出人|보낸 사람';
const OTHERS =
  'sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|kopie|envoyé|à|objet|copie|enviado(?: el| em)?|fecha|para|asunto|assunto|data|inviato|a|oggetto|verzonden|aan|onderwerp|wysłano|do|temat|dw|skickat|till|ämne|kopia|sendt|dato|til|emne|отправлено|дата|кому|копия|тема|gönderildi|gönderme tarihi|tarih|kime|konu|bilgi|lähetetty|vastaanottaja|aihe|发送时间|收件人|主题|日期|件名|宛先';
const label = (names: string): RegExp =>
  new RegExp(`^\\s{0,3}[*_]{0,2}(?:${names})[\\s\u00a0]?[*_]{0,2}\\s?[:：][*_]{0,2}(?:\\s|$)`, 'iu');
/** `From: Ada` and `Sent: Monday` at the top of an earlier mail, as Outlook writes it. */
export const FROM_LINE = label(FROM);
export const OTHER_LINE = label(OTHERS);
export const SUBJECT_LINE = label(
  'subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|ämne|emne|тема|konu|aihe|předmět|主题|主旨|件名|제목',
);
export const ANY_LABEL = /^\s{0,3}[*_]{0,2}[\p{L} -]{1,30}[*_]{0,2}\s?[:：][*_]{0,2}\s*\S/u;

/** `Sent from my iPhone`, alone in its line. */
export const SENT_FROM =
  /^\s{0,3}(?:sent (?:from|with|via|using) (?:(?:my|a) \S.{0,60}|(?:the )?(?:mail|outlook|yahoo|gmail|google|samsung|galaxy|iphone|ipad|android|proton|spark|aol|blackberry|windows|thunderbird|mobile|airmail|superhuman|front|missive|hey|zoho|huawei|nokia|xperia).{0,60})|get outlook for .{1,40}|(?:von|mit) meine[mr]? .{1,40} gesendet|gesendet (?:von|mit) .{1,60}|diese nachricht wurde von .{1,60} gesendet|envoyé (?:de|depuis|à partir de|avec) .{1,60}|télécharger outlook pour .{1,40}|enviado (?:desde|do|a partir do|de|con) .{1,60}|inviato (?:da|dal|dallo) .{1,60}|verzonden (?:vanaf|met|via) .{1,60}|verstuurd vanaf .{1,60}|wysłane? (?:z|ze) .{1,60}|skickat från .{1,60}|sendt fra .{1,60}|отправлено (?:с|из) .{1,60}|.{1,40}(?:’|')?(?:umdan|ımdan|mdan|dan|den) gönderildi|lähetetty .{1,40}|odesláno z .{1,60})[.!]?\s*$/iu;
/** RFC 3676 says `-- `; mail programs cut off the space. */
export const SIGNATURE = /^\s{0,1}--\s?$/;
/** The line above the notes of a mailing list. */
export const LIST_FOOTER = /^_{20,}\s*$/;
export const SEPARATOR = /^[\s_=*-]{3,}$/;
