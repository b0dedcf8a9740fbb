/**
 * The same as validation.ts, about messages, templates, automations, filters, channels and files. In a text of the server `{}` is a value; in its translation `{1}` is the first
 * value as it is, and `{1*}` the first value in German.
 */
export const validationContent: Readonly<Record<string, string>> = {
  'Has a character that cannot be stored': 'Hat ein Zeichen, das nicht gespeichert werden kann',
  'Has neither a phone number nor an email address': 'Hat weder eine Telefonnummer noch eine E-Mail-Adresse',
  'Has {} cells, but there are {} columns': 'Hat {1} Zellen, es gibt aber {2} Spalten',
  'A definition may have {} Liquid tags, this one has {}':
    'Eine Definition darf {1} Liquid-Tags haben, diese hat {2}',
  'A definition may have {} characters of JSON, this one has {}':
    'Eine Definition darf {1} Zeichen JSON haben, diese hat {2}',
  'A file of the type "{}" has at most {} bytes on {}, received {}':
    'Eine Datei vom Typ „{1}“ darf bei {3} höchstens {2} Bytes haben, hat aber {4}',
  'A header is an image, a video or a document': 'Ein Kopf ist ein Bild, ein Video oder ein Dokument',
  'A header must not contain control characters': 'Ein Header darf keine Steuerzeichen enthalten',
  'A mail contains its files: use `fileId`': 'Eine Mail enthält ihre Dateien: Verwenden Sie `fileId`',
  'A message of the type "{}" cannot be sent on {}: only {}':
    'Eine Nachricht vom Typ „{1}“ kann über {2} nicht gesendet werden: nur {3}',
  'A scheduled broadcast needs at least one contact':
    'Eine geplante Sendung braucht mindestens einen Kontakt',
  'An `otp` button is the only button': 'Eine Schaltfläche `otp` ist die einzige',
  'Another column is {} already': 'Eine andere Spalte ist schon {1}',
  'As "{}" only {} can be sent on {}, received {}':
    'Als „{1}“ kann über {3} nur {2} gesendet werden, nicht {4}',
  'At most 10 on WhatsApp, received {}': 'Bei WhatsApp höchstens 10, nicht {1}',
  'At most 600 characters with an `offer`, received {}': 'Mit `offer` höchstens 600 Zeichen, nicht {1}',
  'At most {} bytes in all on {}, received {}': 'Bei {2} höchstens {1} Bytes zusammen, nicht {3}',
  'At most {} characters on WhatsApp, received {}': 'Bei WhatsApp höchstens {1} Zeichen, nicht {2}',
  'At most {} on {}, received {}': 'Bei {2} höchstens {1}, nicht {3}',
  'Cannot be changed after the first occurrence': 'Kann nach dem ersten Termin nicht geändert werden',
  'Cannot be changed from "{}"': 'Kann nicht von „{1}“ geändert werden',
  'Cannot be changed from {}': 'Kann nicht von {1} geändert werden',
  'Cannot be changed: the campaign has recipients who were matched for it':
    'Kann nicht geändert werden: Die Kampagne hat Empfänger, die dafür ausgewählt wurden',
  'Cannot be changed: the vendor has it as "{}"': 'Kann nicht geändert werden: Der Anbieter hat es als „{1}“',
  'Cannot be changed: the vendor has it in {}': 'Kann nicht geändert werden: Der Anbieter hat es in {1}',
  'Cannot be sent on {}: only {}': 'Kann über {1} nicht gesendet werden: nur {2}',
  'Customers cannot write "{}" on {}': 'Kunden können über {2} kein „{1}“ schreiben',
  'Either `contactId` or `to` is required': 'Entweder `contactId` oder `to` ist erforderlich',
  'Either `fileId` or `url` is required': 'Entweder `fileId` oder `url` ist erforderlich',
  'Either `flowId` or `name` is required': 'Entweder `flowId` oder `name` ist erforderlich',
  'Either `id` or `url` is required': 'Entweder `id` oder `url` ist erforderlich',
  'Either a file or a `location`, not both': 'Entweder eine Datei oder `location`, nicht beides',
  'Exactly one of `fileId`, `url` and `location` is required':
    'Genau eines von `fileId`, `url` und `location` ist erforderlich',
  'Exactly one of {} is required': 'Genau eines davon ist erforderlich: {1}',
  'Has no Instagram handle: only people who wrote there can be reached':
    'Hat keine Instagram-Adresse: Nur wer dort geschrieben hat, ist erreichbar',
  'Loops, assignments and filters that can multiply a text are not allowed here':
    'Schleifen, Zuweisungen und Filter, die einen Text vervielfachen können, sind hier nicht erlaubt',
  'May have at most {} EXDATE times, received {}; use UNTIL or another rule':
    'Darf höchstens {1} EXDATE-Zeiten haben, hat aber {2}; verwenden Sie UNTIL oder eine andere Regel',
  'Must be a CSV file, received {}. In a spreadsheet, choose “Save as CSV”':
    'Muss eine CSV-Datei sein, nicht {1}. Wählen Sie in einer Tabellenkalkulation „Als CSV speichern“',
  'Must be a list of 1 to {}, received {}': 'Muss eine Liste von 1 bis {1} Einträgen sein, hat aber {2}',
  'Must be a list of 1 to {}': 'Muss eine Liste von 1 bis {1} Einträgen sein',
  'Must be a non-empty text': 'Muss ein Text sein, der nicht leer ist',
  'Must be a whole number of milliseconds from 0 to {}':
    'Muss eine ganze Zahl von Millisekunden von 0 bis {1} sein',
  'Must be an image or a video with an `offer`': 'Muss mit `offer` ein Bild oder ein Video sein',
  'Must be authentication with an `otp` button': 'Muss mit einer Schaltfläche `otp` „authentication“ sein',
  'Must be draft or published': 'Muss „draft“ oder „published“ sein',
  'Must be marketing with `cards`': 'Muss mit `cards` „marketing“ sein',
  'Must be marketing with an `offer`': 'Muss mit `offer` „marketing“ sein',
  'Must be navigate or data_exchange': 'Muss „navigate“ oder „data_exchange“ sein',
  'Must be one of {}, attributes. and the externalId of an attribute, or metadata. and a key':
    'Muss eines davon sein: {1}, attributes. und die externalId eines Attributs, oder metadata. und ein Schlüssel',
  'Must have at most 10 rows in all, received {}': 'Darf zusammen höchstens 10 Zeilen haben, hat aber {1}',
  'Must have at most 30 products in all, received {}':
    'Darf zusammen höchstens 30 Produkte haben, hat aber {1}',
  'Must have at most {} {} on {}, received {}': 'Darf bei {3} höchstens {1} {2*} haben, hat aber {4}',
  characters: 'Zeichen',
  bytes: 'Bytes',
  'Must have more than a title': 'Muss mehr als einen Titel haben',
  'Must have the same kinds of parts as the first card':
    'Muss dieselben Arten von Teilen haben wie die erste Karte',
  'Needs `messageTemplateId`': 'Braucht `messageTemplateId`',
  'Needs an `otp` button': 'Braucht eine Schaltfläche `otp`',
  'Not allowed for the type "{}"': 'Beim Typ „{1}“ nicht erlaubt',
  'Not allowed together with `text`, `media` or `subject`':
    'Zusammen mit `text`, `media` oder `subject` nicht erlaubt',
  'Not allowed with `cards`': 'Mit `cards` nicht erlaubt',
  'Not allowed with `{}`': 'Mit `{1}` nicht erlaubt',
  'Not allowed with a message: use `message.template`':
    'Mit einer Nachricht nicht erlaubt: Verwenden Sie `message.template`',
  'Not allowed with an `offer`': 'Mit `offer` nicht erlaubt',
  'Not allowed with an `otp` button': 'Mit einer Schaltfläche `otp` nicht erlaubt',
  'Not allowed with an `otp` button: WhatsApp writes it':
    'Mit einer Schaltfläche `otp` nicht erlaubt: WhatsApp schreibt es',
  'Not allowed with {}': 'Mit {1} nicht erlaubt',
  'On WhatsApp a language is written as en or en_US':
    'Bei WhatsApp wird eine Sprache als de oder en_US geschrieben',
  'On WhatsApp a name has only a to z, 0 to 9 and _': 'Bei WhatsApp hat ein Name nur a bis z, 0 bis 9 und _',
  'One column must be phoneNumber or email, to identify a contact':
    'Eine Spalte muss phoneNumber oder email sein, um einen Kontakt zu erkennen',
  'One of the lines must be an RRULE': 'Eine der Zeilen muss eine RRULE sein',
  'Only allowed with strategy': 'Nur mit strategy erlaubt',
  'Only messages of contacts start automations': 'Nur Nachrichten von Kontakten starten Automationen',
  'Only on WhatsApp, not on {}': 'Nur bei WhatsApp, nicht bei {1}',
  'Only the status "snoozed" has an end': 'Nur der Zustand „snoozed“ hat ein Ende',
  'Required with `data`': 'Mit `data` erforderlich',
  'Required with {}': 'Mit {1} erforderlich',
  'Required, because no channel reaches the contact': 'Erforderlich, weil kein Kanal den Kontakt erreicht',
  'Required: the team whose members take turns': 'Erforderlich: das Team, dessen Mitglieder sich abwechseln',
  'Required by the template "{}"': 'Von der Vorlage „{1}“ benötigt',
  'Required: the card needs {} by `fileId` or `url`':
    'Erforderlich: Die Karte braucht eine Datei ({1}) durch `fileId` oder `url`',
  'Required: the header of the template "{}" needs a `location`':
    'Erforderlich: Der Kopf der Vorlage „{1}“ braucht `location`',
  'Required: the header of the template "{}" needs {} by `fileId` or `url`':
    'Erforderlich: Der Kopf der Vorlage „{1}“ braucht eine Datei ({2}) durch `fileId` oder `url`',
  'Required: the template "{}" has {} cards': 'Erforderlich: Die Vorlage „{1}“ hat {2} Karten',
  'Secrets can only be used in headers and the body of http_request':
    'Geheimnisse können nur in Headern und im Inhalt von http_request verwendet werden',
  'The automation needs {}': 'Die Automation braucht {1}',
  'The file has no column of this name': 'Die Datei hat keine Spalte mit diesem Namen',
  'The file has several columns of this name': 'Die Datei hat mehrere Spalten mit diesem Namen',
  'The header is a text or a file, not both': 'Der Kopf ist ein Text oder eine Datei, nicht beides',
  'The template "{}" has no cards': 'Die Vorlage „{1}“ hat keine Karten',
  'The template "{}" has no header with a file': 'Die Vorlage „{1}“ hat keinen Kopf mit einer Datei',
  'The template "{}" has no header with a location': 'Die Vorlage „{1}“ hat keinen Kopf mit einem Standort',
  'The template "{}" has no place for it': 'Die Vorlage „{1}“ hat keinen Platz dafür',
  'The template "{}" has {} cards': 'Die Vorlage „{1}“ hat {2} Karten',
  'The template "{}" needs `{}`, which only a step of an automation can give':
    'Die Vorlage „{1}“ braucht `{2}`, was nur ein Schritt einer Automation geben kann',
  'The template has no variable "{}"{}': 'Die Vorlage hat keine Variable „{1}“{2*}',
  'The text could not be rendered for this chat: {}':
    'Der Text ließ sich für diesen Chat nicht erzeugen: {1}',
  'The texts of the template may have {} characters with their values, these have {}':
    'Die Texte der Vorlage dürfen mit ihren Werten {1} Zeichen haben, diese haben {2}',
  'The vendor does not know this message yet': 'Der Anbieter kennt diese Nachricht noch nicht',
  'The workflow has no step `send_template` that would send it':
    'Der Ablauf hat keinen Schritt `send_template`, der es senden würde',
  'There are no captions on {}: send the text by itself':
    'Bei {1} gibt es keine Bildunterschriften: Senden Sie den Text für sich',
  'This header cannot be set': 'Dieser Header kann nicht gesetzt werden',
  'This is not the name of a header': 'Das ist kein Name eines Headers',
  'This is not valid Liquid: {}': 'Das ist kein gültiges Liquid: {1}',
  'Use either fullName, or firstName and lastName':
    'Verwenden Sie entweder fullName oder firstName und lastName',
  'Variables are not allowed here': 'Variablen sind hier nicht erlaubt',
  'Variables are written as {{name}} or {{1}}, with letters, digits and _ and without blanks; other double braces are not allowed':
    'Variablen schreibt man als {{name}} oder {{1}}, mit Buchstaben, Ziffern und _ und ohne Leerzeichen; andere doppelte Klammern sind nicht erlaubt',
  'With an `otp` button it has the variable {{1}}, the code, and no other':
    'Mit einer Schaltfläche `otp` hat es die Variable {{1}}, den Code, und keine andere',
  'With copy_code there are no `apps` and no `autofillText`':
    'Mit copy_code gibt es weder `apps` noch `autofillText`',
  'With data_exchange the endpoint of the flow decides: no `screen`, no `data`':
    'Mit data_exchange entscheidet der Endpunkt des Flows: kein `screen`, kein `data`',
  '`text` or `email.html` is required for a mail': 'Für eine Mail ist `text` oder `email.html` erforderlich',
  '"{}" must be a {}, received {}': '„{1}“ muss {2} sein, nicht {3}',
  '{} must be {}': '{1} muss {2} sein',
  'Expected NAME=VALUE, each name once, at "{}"': 'Erwartet wird NAME=WERT, jeder Name einmal, bei „{1}“',
  'FREQ must be one of {}': 'FREQ muss eines davon sein: {1}',
  'FREQ=DAILY with an INTERVAL cannot have BYDAY; use FREQ=WEEKLY':
    'FREQ=DAILY mit INTERVAL kann kein BYDAY haben; verwenden Sie FREQ=WEEKLY',
  'FREQ={} cannot have "{}"': 'FREQ={1} kann kein „{2}“ haben',
  'FREQ={} cannot have numbered days such as 1MO': 'FREQ={1} kann keine gezählten Tage wie 1MO haben',
  'It has no occurrence within ten years; check that its days exist, and its INTERVAL':
    'Hat in zehn Jahren keinen Termin; prüfen Sie, ob es die Tage gibt, und INTERVAL',
  'It may occur at most every {} minutes': 'Darf höchstens alle {1} Minuten vorkommen',
  'Must be a port from 1 to 65535': 'Muss ein Port von 1 bis 65535 sein',
  'Must be a text of 1 to {} characters on one line':
    'Muss ein Text von 1 bis {1} Zeichen in einer Zeile sein',
  'Must be a version such as v26.0': 'Muss eine Version sein, wie v26.0',
  'Must be an access token: visible ASCII characters without blanks':
    'Muss ein Zugriffstoken sein: sichtbare ASCII-Zeichen ohne Leerzeichen',
  'Must be an address such as help@example.com or Support <help@example.com>':
    'Muss eine Adresse sein, wie hilfe@example.com oder Support <hilfe@example.com>',
  'Must be an http or https URL without a user, a query or a fragment':
    'Muss eine Adresse mit http oder https sein, ohne Benutzer, Parameter und Fragment',
  "Must be the app's secret: visible ASCII characters without blanks":
    'Muss das Geheimnis der App sein: sichtbare ASCII-Zeichen ohne Leerzeichen',
  'Must be visible ASCII characters without blanks, at most 256':
    'Muss aus sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen, höchstens 256',
  'Must be {}: digits only': 'Muss {1*} sein: nur Ziffern',
  "the phone number's id at Meta": 'die ID der Telefonnummer bei Meta',
  'the id of the WhatsApp business account': 'die ID des WhatsApp-Business-Kontos',
  "the app's id": 'die ID der App',
  'the id of the Instagram professional account': 'die ID des professionellen Instagram-Kontos',
  'Nothing uses it: give smtp or imap a user, and no password (null removes one)':
    'Nichts verwendet es: Geben Sie smtp oder imap einen Benutzer und kein Passwort (null entfernt eines)',
  'Only with the vendor "microsoft365" and without a tokenUrl':
    'Nur mit dem Anbieter „microsoft365“ und ohne tokenUrl',
  'Required with apiKeySecret': 'Mit apiKeySecret erforderlich',
  'Required with apiKeySid': 'Mit apiKeySid erforderlich',
  'Required, also with an API key: Twilio signs its requests with it':
    'Erforderlich, auch mit einem API-Key: Twilio signiert damit seine Anfragen',
  'Required, unless there is a messagingServiceSid':
    'Erforderlich, außer wenn es eine messagingServiceSid gibt',
  'Required, unless there is a tokenUrl: {}': 'Erforderlich, außer wenn es eine tokenUrl gibt: {1}',
  'Required: host and port of the outgoing mail server': 'Erforderlich: Server und Port des Postausgangs',
  'user and password must be given together': 'user und password gehören zusammen',
  'user and password must be given together, unless there is an oauth':
    'user und password gehören zusammen, außer bei oauth',
  'a URL that begins with https:// or http://': 'eine Adresse, die mit https:// oder http:// beginnt,',
  'a URL that begins with https://, without a user, a query or a fragment':
    'eine Adresse, die mit https:// beginnt, ohne Benutzer, Parameter und Fragment',
  'a WhatsApp id': 'eine WhatsApp-ID',
  'a messaging service SID: MG and 32 digits or letters a to f':
    'eine Messaging-Service-SID (MG und 32 Ziffern oder Buchstaben a bis f)',
  'a number such as +15550001111, a short code, a name of up to 11 letters and digits, whatsapp:+15550001111, or rcs: and the id of an agent':
    'eine Nummer wie +15550001111, eine Kurzwahl, ein Name mit bis zu 11 Buchstaben und Ziffern, whatsapp:+15550001111 oder rcs: und die ID eines Agenten',
  'a phone number such as +15550001111': 'eine Telefonnummer wie +15550001111',
  'a text without spaces': 'ein Text ohne Leerzeichen',
  'an API key SID: SK and 32 digits or letters a to f':
    'eine API-Key-SID (SK und 32 Ziffern oder Buchstaben a bis f)',
  'an Instagram id': 'eine Instagram-ID',
  'an account SID: AC and 32 digits or letters a to f':
    'eine Account-SID (AC und 32 Ziffern oder Buchstaben a bis f)',
  'an email address': 'eine E-Mail-Adresse',
  'at least 16 characters long': 'mindestens 16 Zeichen lang',
  'scopes separated by single spaces': 'eine Liste von Scopes mit je einem Leerzeichen dazwischen',
  'the id or the domain of a directory (tenant) of Microsoft Entra':
    'die ID oder die Domain eines Verzeichnisses (Tenant) von Microsoft Entra',
  'the name of a host': 'der Name eines Servers',
  '{} at column {}{}': '{1*} (Spalte {2}){3*}',
  'Expected {}': 'Erwartet wird {1*}',
  'Unexpected {}': 'Nicht erwartet: {1}',
  'Invalid character': 'Ungültiges Zeichen',
  'More than {} conditions with {}': 'Mehr als {1} Bedingungen mit {2}',
  'More than {} conditions, with those of its segments':
    'Mehr als {1} Bedingungen, die seiner Segmente mitgezählt',
  'More than {} fields': 'Mehr als {1} Felder',
  'More than {} levels': 'Mehr als {1} Ebenen',
  'More than {} segments': 'Mehr als {1} Segmente',
  'A segment must not contain itself': 'Ein Segment darf sich nicht selbst enthalten',
  'In segment {}: {}': 'Im Segment {1}: {2*}',
  'More than {} filters name this segment, so it cannot be changed: create another segment':
    'Mehr als {1} Filter nennen dieses Segment, deshalb kann es nicht geändert werden: Legen Sie ein anderes an',
  'The {} "{}" would no longer be valid: {}': '{1*} „{2}“ wäre nicht mehr gültig: {3*}',
  'segment() is only for filters of contacts': 'segment() gibt es nur in Filtern für Kontakte',
  'More than {} values in a list': 'Mehr als {1} Werte in einer Liste',
  'The expression is longer than {} characters: the limit is reached':
    'Der Ausdruck hat mehr als {1} Zeichen: Die Grenze ist erreicht',
  'The number {} is out of range': 'Die Zahl {1} ist zu groß oder zu klein',
  'Text that begins': 'Ein Text, der hier beginnt,',
  ' has no closing quote': ' hat kein schließendes Anführungszeichen',
  'Unknown escape': 'Unbekannte Maskierung',
  '; only \\" and \\\\ are supported': '; es gibt nur \\" und \\\\',
  'Cannot sort by {}': 'Nach {1} kann nicht sortiert werden',
  'Duplicate sort field {}': 'Nach {1} wird doppelt sortiert',
  'Not a time zone': 'Das ist keine Zeitzone',
  'Not an ISO 8601 duration': 'Das ist keine Dauer nach ISO 8601',
  ', such as "Europe/Berlin"': '; eine wäre "Europe/Berlin"',
  ', such as "P1D" or "-PT2H"': '; eine wäre "P1D" oder "-PT2H"',
  '; did you mean "{}"?': '; meinten Sie „{1}“?',
  '; supported: {}': '; möglich sind {1}',
  'Time out of range': 'Der Zeitpunkt ist zu früh oder zu spät',
  'Unknown field {}': 'Unbekanntes Feld {1}',
  'Unknown function {}': 'Unbekannte Funktion {1}',
  ', found {}': ', gefunden wurde {1*}',
  '"{}"': '"{1}"',
  '"," or ")"': '"," oder ")"',
  '"," or end of input': '"," oder das Ende',
  'a condition such as eq(field,"value")': 'eine Bedingung wie eq(field,"value")',
  'a number': 'eine Zahl',
  'an ISO 8601 time in quotes, such as "2026-11-15T01:02:03Z",':
    'ein Zeitpunkt nach ISO 8601 in Anführungszeichen, wie "2026-11-15T01:02:03Z",',
  'asc(field) or desc(field)': 'asc(field) oder desc(field)',
  'end of input': 'das Ende',
  'one of {}': 'eines davon: {1}',
  'text in quotes': 'ein Text in Anführungszeichen',
  'the name of a field': 'der Name eines Feldes',
  'the id of a segment in quotes': 'die Kennung eines Segments in Anführungszeichen',
  'the number {}': 'die Zahl {1}',
  'the text {}': 'der Text {1}',
  'true or false': 'true oder false',
  '{} does not apply to the {} field {}': '{1} gibt es nicht für das Feld {3} (Art: {2})',
  '{} for {}': '{1*} für {2}',
  '{} has at most {} values, found another': '{1} hat höchstens {2} Werte, hier ist noch einer',
  '{}() is only for users who have logged in': '{1}() ist nur für Benutzer, die sich angemeldet haben',
  'A spreadsheet has shortened this number: format the column as text, and export it again':
    'Die Tabelle hat diese Nummer gekürzt: Formatieren Sie die Spalte als Text, und exportieren Sie sie noch einmal',
  'Has more than {} cells': 'Hat mehr als {1} Zellen',
  'A cell in quotes is followed by text: is a quote missing, or not written twice?':
    'Nach einer Zelle in Anführungszeichen folgt Text: Fehlt ein Anführungszeichen, oder ist eines nicht doppelt geschrieben?',
  'The phone number and the email address belong to two contacts: merge those first':
    'Die Telefonnummer und die E-Mail-Adresse gehören zu zwei Kontakten: Führen Sie diese zuerst zusammen',
  'Its contact would have more than {} phone numbers and email addresses: is one address used for several people?':
    'Der Kontakt hätte mehr als {1} Telefonnummern und E-Mail-Adressen: Wird eine Adresse für mehrere Personen verwendet?',
  'Its contact would have more than {} characters of metadata, as JSON':
    'Der Kontakt hätte mehr als {1} Zeichen Metadaten, als JSON',
  'Events start automations: leave out publishEvents':
    'Ereignisse starten Automationen: Lassen Sie publishEvents weg',
  'Could not be imported because of an internal error':
    'Konnte wegen eines Fehlers des Servers nicht importiert werden',
  'The file was deleted': 'Die Datei wurde gelöscht',
  'One of the labels was deleted': 'Eines der Labels wurde gelöscht',
  'The attribute "{}" was deleted': 'Das Attribut „{1}“ wurde gelöscht',
  'The file has more than {},000,000 rows: split it':
    'Die Datei hat mehr als {1} Millionen Zeilen: Teilen Sie sie auf',
  'A quote in row {} is never closed, or its cell is longer than {} characters':
    'Ein Anführungszeichen in Zeile {1} wird nie geschlossen, oder seine Zelle ist länger als {2} Zeichen',
  'Row {} is longer than {} characters': 'Zeile {1} ist länger als {2} Zeichen',
  'The file is not valid UTF-8 near byte {}: save it as UTF-8':
    'Die Datei ist beim Byte {1} kein gültiges UTF-8: Speichern Sie sie als UTF-8',
  'The file is not valid UTF-8': 'Die Datei ist kein gültiges UTF-8: Speichern Sie sie als UTF-8',
  'The name of a column is longer than {} characters': 'Der Name einer Spalte ist länger als {1} Zeichen',
  'The file is not a text': 'Die Datei ist kein Text',
  'The first row must have the names of the columns': 'Die erste Zeile muss die Namen der Spalten haben',
  'The first row: {}': 'Die erste Zeile: {1*}',
};
