/**
 * Texts of the server with values in them, such as what is wrong with a row of a file: a pattern, and the German text with
 * the values of its groups.
 */
export const serverPatterns: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^Must have at most (\d+) characters(?:, received \d+)?$/, 'Darf höchstens $1 Zeichen haben'],
  [/^Must have at most (\d+) labels$/, 'Darf höchstens $1 Labels haben'],
  [
    /^A spreadsheet has shortened this number/,
    'Die Tabelle hat diese Nummer gekürzt: Formatieren Sie die Spalte als Text, und exportieren Sie sie noch einmal',
  ],
  [
    /^Must be a phone number written with \+/,
    'Muss eine Telefonnummer mit + und Ländervorwahl sein, wie +491701234567',
  ],
  [
    /^No country has a number such as (.+): check/s,
    'Kein Land hat eine Nummer wie $1: Prüfen Sie die Ländervorwahl nach dem + und die Anzahl der Ziffern',
  ],
  [
    /^([A-Z]{2}) has no number such as (.+): check/s,
    '$1 hat keine Nummer wie $2: Prüfen Sie die Anzahl der Ziffern',
  ],
  [/^Must be an email address/, 'Muss eine E-Mail-Adresse sein, wie ada@example.com'],
  [/^Must be a language tag/, 'Muss das Kürzel einer Sprache sein, wie de oder pt-BR'],
  [/^Must be the name of a time zone/, 'Muss der Name einer Zeitzone sein, wie Europe/Berlin'],
  [/^Must be true or false$/, 'Muss ja oder nein sein (auch true oder false)'],
  [/^Must be a number such as/, 'Muss eine Zahl sein, wie 42 oder -0.5'],
  [/^Must be a date such as/, 'Muss ein Datum sein, wie 2026-11-15'],
  [/^Must be an ISO 8601 time/, 'Muss ein Zeitpunkt nach ISO 8601 sein, wie 2026-11-15T01:02:03Z'],
  [/^Must be a URL/, 'Muss eine Adresse sein, die mit http:// oder https:// beginnt'],
  [/^Must be one of (.+)$/s, 'Muss einer dieser Werte sein: $1'],
  [/^Has more than (\d+) cells$/, 'Hat mehr als $1 Zellen'],
  [
    /^A cell in quotes is followed by text/,
    'Nach einer Zelle in Anführungszeichen folgt Text: Fehlt ein Anführungszeichen, oder ist eines nicht doppelt geschrieben?',
  ],
  [/^Has (\d+) cells, but there are (\d+) columns$/, 'Hat $1 Zellen, es gibt aber $2 Spalten'],
  [/^Has a character that cannot be stored$/, 'Hat ein Zeichen, das nicht gespeichert werden kann'],
  [/^Has neither a phone number nor an email/, 'Hat weder eine Telefonnummer noch eine E-Mail-Adresse'],
  [
    /^The phone number and the email address belong to two/,
    'Die Telefonnummer und die E-Mail-Adresse gehören zu zwei Kontakten: Führen Sie diese zuerst zusammen',
  ],
  [/^There is no label "(.*)"$/s, 'Es gibt kein Label „$1“'],
  [/^Could not be imported because of/, 'Konnte wegen eines Fehlers des Servers nicht importiert werden'],
  [/^The file was deleted$/, 'Die Datei wurde gelöscht'],
  [/^One of the labels was deleted$/, 'Eines der Labels wurde gelöscht'],
  [/^The file has more than ([\d,]+) rows/, 'Die Datei hat mehr als $1 Zeilen: Teilen Sie sie auf'],
  [
    /^A quote in row (\d+) is never closed, or its cell is longer than (\d+)/,
    'Ein Anführungszeichen in Zeile $1 wird nie geschlossen, oder seine Zelle ist länger als $2 Zeichen',
  ],
  [/^Row (\d+) is longer than (\d+)/, 'Zeile $1 ist länger als $2 Zeichen'],
  [
    /^The file is not valid UTF-8(?: near byte (\d+).*)?$/,
    'Die Datei ist kein gültiges UTF-8: Speichern Sie sie als UTF-8',
  ],
];
