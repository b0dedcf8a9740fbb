/**
 * What the server says is wrong with a request. In a text of the server `{}` is a value; in its translation `{1}` is the first
 * value as it is, and `{1*}` the first value in German.
 */
export const validation: Readonly<Record<string, string>> = {
  Required: 'Erforderlich',
  'Expected {}, received {}': 'Erwartet wird {1}, nicht {2}',
  'Expected string, received {}': 'Erwartet wird ein Text, nicht {1}',
  'Must be {}, received {}': 'Muss {1*} sein, nicht {2}',
  'Must be {}': 'Muss {1*} sein',
  'Must be one of {}, received {}': 'Muss einer dieser Werte sein: {1}; nicht {2}',
  'Must be one of {}': 'Muss einer dieser Werte sein: {1}',
  'Must match {}, received {}': 'Muss dem Muster {1} entsprechen, nicht {2}',
  '{}, received {}': '{1}; erhalten: {2}',
  'Must have at {} {} character(s), received {}': 'Muss {1*} {2} Zeichen haben, hat aber {3}',
  'Must contain at {} {} item(s), received {}': 'Muss {1*} {2} Einträge haben, hat aber {3}',
  least: 'mindestens',
  most: 'höchstens',
  'a UUID': 'eine UUID',
  'an ISO 8601 date-time with a zone, such as 2026-11-15T01:02:03.456Z':
    'ein Zeitpunkt nach ISO 8601 mit Zeitzone, wie 2026-11-15T01:02:03.456Z',
  'Not a known key': 'Diesen Namen gibt es nicht',
  'Not a known key; did you mean "{}"?': 'Diesen Namen gibt es nicht; meinten Sie „{1}“?',
  'Must be a UUID, received "x"': 'Muss eine UUID sein, nicht "x"',
  'Must be UUIDs, received {}': 'Müssen UUIDs sein, nicht {1}',
  'HTTP/1.1 needs the header Host': 'HTTP/1.1 braucht den Header Host',
  'Array must contain at most {} items, received {}': 'Darf höchstens {1} Einträge haben, hat aber {2}',
  'Number is out of range': 'Die Zahl ist zu groß oder zu klein',
  'Whole numbers must be between {} and {}; send a longer one as a string':
    'Ganze Zahlen müssen zwischen {1} und {2} liegen; senden Sie eine längere als Text',
  'The body has more than {} values': 'Die Anfrage hat mehr als {1} Werte',
  'The body is incomplete': 'Die Anfrage ist unvollständig',
  'The body is nested deeper than {} levels': 'Die Anfrage ist tiefer als {1} Ebenen verschachtelt',
  'The body is not UTF-8': 'Die Anfrage ist kein UTF-8',
  'The body is not valid JSON: {}': 'Die Anfrage ist kein gültiges JSON: {1}',
  'The body is not valid multipart/form-data: {}': 'Die Anfrage ist kein gültiges Formular: {1}',
  'The body is not as long as Content-Length says': 'Die Anfrage ist nicht so lang, wie Content-Length sagt',
  'The body is not what its Content-Encoding says': 'Die Anfrage ist nicht das, was Content-Encoding sagt',
  'The form has more than {} parts': 'Das Formular hat mehr als {1} Teile',
  'The form has more than {} fields': 'Das Formular hat mehr als {1} Felder',
  'The form has a field with a name that is not allowed':
    'Das Formular hat ein Feld, dessen Name nicht erlaubt ist',
  'The form has a field that is not the JSON it says it is':
    'Das Formular hat ein Feld, das nicht das JSON ist, das es zu sein vorgibt',
  'The key "{}" is not allowed': 'Der Name „{1}“ ist nicht erlaubt',
  'The key {}': 'Der Name: {1*}',
  'must be well-formed Unicode, without lone surrogates':
    'muss gültiges Unicode sein, ohne einzelne Surrogate',
  'must not contain the NUL character': 'darf das Zeichen NUL nicht enthalten',
  'The file is empty': 'Die Datei ist leer',
  'This cursor belongs to another search: query, sortBy and search must be the same as for the page before':
    'Diese Stelle gehört zu einer anderen Suche: query, sortBy und search müssen dieselben sein wie bei der Seite davor',
  'Not a cursor: use the nextCursor of a response unchanged':
    'Das ist keine Stelle einer Suche: Verwenden Sie nextCursor aus einer Antwort unverändert',
  'Give either ids or all': 'Geben Sie entweder ids oder all an',
  'Give one of to and by': 'Geben Sie entweder to oder by an',
  'Is given twice': 'Ist doppelt angegeben',
  'Is not the attribute {}': 'Ist nicht das Attribut {1}',
  '"{}" is given twice': '„{1}“ ist doppelt angegeben',
  '"{}" is used twice': '„{1}“ wird doppelt verwendet',
  '{} is there twice': '{1} kommt doppelt vor',
  'Must be true or false': 'Muss ja oder nein sein (true oder false)',
  'Must be an object': 'Muss ein Objekt sein',
  'Must be in the future': 'Muss in der Zukunft liegen',
  'Must be in the future, received {}': 'Muss in der Zukunft liegen, nicht {1}',
  'Must not be in the future': 'Darf nicht in der Zukunft liegen',
  'Must not be more than 5 minutes in the past': 'Darf nicht mehr als 5 Minuten in der Vergangenheit liegen',
  'Must not be more than a year ahead': 'Darf höchstens ein Jahr in der Zukunft liegen',
  'Must not be more than {} years ahead': 'Darf höchstens {1} Jahre in der Zukunft liegen',
  'Must not be negative, and at most a year': 'Darf nicht negativ sein und höchstens ein Jahr',
  'Must not be before the clock, which shows {}': 'Darf nicht vor der Uhr liegen, die {1} zeigt',
  'Must be at most {} days after the clock, which shows {}':
    'Darf höchstens {1} Tage nach der Uhr liegen, die {2} zeigt',
  'Must be at most a year ahead': 'Darf höchstens ein Jahr in der Zukunft liegen',
  'Must be at most a year away': 'Darf höchstens ein Jahr entfernt sein',
  'Must be at most ten years after from; ask for a shorter period':
    'Darf höchstens zehn Jahre nach from liegen; wählen Sie einen kürzeren Zeitraum',
  'Must be after from': 'Muss nach from liegen',
  'Must be after since': 'Muss nach since liegen',
  'Must be before the year 10000': 'Muss vor dem Jahr 10000 liegen',
  'Must be between the years 1970 and 9999': 'Muss zwischen den Jahren 1970 und 9999 liegen',
  'Must be from 1 to {}': 'Muss zwischen 1 und {1} liegen',
  'Must be longer than nothing and at most a year': 'Muss länger als nichts und höchstens ein Jahr lang sein',
  'Must be a time with a zone': 'Muss ein Zeitpunkt mit Zeitzone sein',
  'Must be an ISO 8601 date-time with a zone, such as 2026-11-15T01:02:03.456Z, or Liquid':
    'Muss ein Zeitpunkt nach ISO 8601 mit Zeitzone sein, wie 2026-11-15T01:02:03.456Z, oder Liquid',
  'Must be an ISO 8601 duration, such as PT10M or P2D':
    'Muss eine Dauer nach ISO 8601 sein, wie PT10M oder P2D',
  'Must be an ISO 8601 duration, such as PT10M': 'Muss eine Dauer nach ISO 8601 sein, wie PT10M',
  'Must be an ISO 8601 duration, such as PT36H or P1M':
    'Muss eine Dauer nach ISO 8601 sein, wie PT36H oder P1M',
  'Must be the name of a time zone, such as Europe/Berlin':
    'Muss der Name einer Zeitzone sein, wie Europe/Berlin',
  'Must be the code of a country, such as DE': 'Muss das Kürzel eines Landes sein, wie DE',
  'Must be the id of an event, received {}': 'Muss die ID eines Ereignisses sein, nicht {1}',
  'Must be an http or https URL': 'Muss eine Adresse mit http oder https sein',
  'Must be left out where isOff is true': 'Muss fehlen, wo isOff true ist',
  'Must be left out where isScheduled is false': 'Muss fehlen, wo isScheduled false ist',
  'Must be left out, or empty, where isReoccurring is false':
    'Muss fehlen oder leer sein, wo isReoccurring false ist',
  'Must be left out: strategy chooses the user': 'Muss fehlen: strategy wählt den Benutzer',
  'Must contain at least 1 item(s), received 0': 'Muss mindestens einen Eintrag haben',
  'Must have at least 1 character(s)': 'Muss mindestens ein Zeichen haben',
  'Must have at least {} characters': 'Muss mindestens {1} Zeichen haben',
  'Must have at most {} character(s)': 'Darf höchstens {1} Zeichen haben',
  'Must have at most {} characters': 'Darf höchstens {1} Zeichen haben',
  'Must have at most {} characters, received {}': 'Darf höchstens {1} Zeichen haben, hat aber {2}',
  'Must have at most {} characters as JSON, received {}':
    'Darf als JSON höchstens {1} Zeichen haben, hat aber {2}',
  'Must have at most {} characters of JSON': 'Darf als JSON höchstens {1} Zeichen haben',
  'Must have at most {} labels': 'Darf höchstens {1} Labels haben',
  'Must have at least one of {}': 'Muss mindestens eines davon haben: {1}',
  'Must have exactly one of {}': 'Muss genau eines davon haben: {1}',
  'Must have unique ids': 'Jede ID darf nur einmal vorkommen',
  'Must not be blank': 'Darf nicht leer sein',
  'Must not be empty': 'Darf nicht leer sein',
  'Must not be blank: say which ones, or give ids':
    'Darf nicht leer sein: Sagen Sie, welche gemeint sind, oder geben Sie IDs an',
  'Must not be blank: say which ones': 'Darf nicht leer sein: Sagen Sie, welche gemeint sind',
  'Must not be your email address': 'Darf nicht Ihre E-Mail-Adresse sein',
  'This password is one of the first that attackers try; choose another':
    'Dieses Passwort probieren Angreifer als eines der ersten; wählen Sie ein anderes',
  'The link is for another address': 'Der Link ist für eine andere Adresse',
  'Required: log in first, or send the password of your account':
    'Erforderlich: Melden Sie sich zuerst an, oder senden Sie das Passwort Ihres Kontos',
  'Required: you belong to several tenants': 'Erforderlich: Sie gehören zu mehreren Mandanten',
  'Say which user is away: a token is nobody':
    'Sagen Sie, welcher Benutzer abwesend ist: Ein Token ist niemand',
  'Only tokens write for other users': 'Nur Tokens schreiben für andere Benutzer',
  'The caller lacks the scope "{}"': 'Ihnen fehlt das Recht „{1}“',
  'The caller lacks the scope "{}", which this needs': 'Ihnen fehlt das Recht „{1}“, das dafür nötig ist',
  'There is already a label "{}"': 'Es gibt schon ein Label „{1}“',
  'There is already a saved reply "{}"': 'Es gibt schon einen Textbaustein „{1}“',
  'There is already a team "{}"': 'Es gibt schon ein Team „{1}“',
  'There is already a user with the email {}': 'Es gibt schon einen Benutzer mit der E-Mail-Adresse {1}',
  'There is already an attribute with the externalId "{}"':
    'Es gibt schon ein Attribut mit der externalId „{1}“',
  'Another segment is named "{}" already': 'Ein anderes Segment heißt schon „{1}“',
  'Another channel already has this one': 'Das hat schon ein anderer Kanal',
  'There is no "{}"{}': 'Es gibt kein „{1}“{2*}',
  'There is no attribute "{}"': 'Es gibt kein Attribut „{1}“',
  'There is no automation {}': 'Es gibt keine Automation {1}',
  'There is no channel {}': 'Es gibt keinen Kanal {1}',
  'There is no {}channel {}': 'Es gibt keinen solchen Kanal: {1} {2}',
  'There is no chat {}': 'Es gibt keinen Chat {1}',
  'There is no event {} yet, the newest is {}': 'Es gibt noch kein Ereignis {1}, das neueste ist {2}',
  'There is no file {}': 'Es gibt keine Datei {1}',
  'There is no kind of channel "{}". There are {}': 'Es gibt keine Art von Kanal „{1}“. Es gibt {2}',
  'There is no label {}': 'Es gibt kein Label {1}',
  'There is no label "{}"': 'Es gibt kein Label „{1}“',
  'There is no message {} in this chat': 'In diesem Chat gibt es keine Nachricht {1}',
  'There is no message {} on this channel': 'In diesem Kanal gibt es keine Nachricht {1}',
  'There is no accepted message {} on this channel':
    'In diesem Kanal gibt es keine angenommene Nachricht {1}',
  'Users have only an email address, which {} channels cannot send to; give an address as `to`':
    'Benutzer haben nur eine E-Mail-Adresse, an die ein Kanal der Art {1} nicht senden kann; geben Sie eine Adresse als `to` an',
  'Exactly one of `userId`, `to` and `contactId` is required':
    'Genau eines von `userId`, `to` und `contactId` ist nötig',
  'There is no segment {}': 'Es gibt kein Segment {1}',
  'There is no step "{}"': 'Es gibt keinen Schritt „{1}“',
  'There is no such date': 'Dieses Datum gibt es nicht',
  'There is no such day in any of these months': 'Diesen Tag gibt es in keinem dieser Monate',
  'There is no team {}': 'Es gibt kein Team {1}',
  'There is no template {} on this channel': 'In diesem Kanal gibt es keine Vorlage {1}',
  'There is no user {}': 'Es gibt keinen Benutzer {1}',
  'There is no {} {}': 'Das gibt es nicht: {1} {2}',
  'The automation has no version {}': 'Die Automation hat keine Version {1}',
  'The channel has no template {}': 'Der Kanal hat keine Vorlage {1}',
  'The channel already has a template "{}" in {}': 'Der Kanal hat schon eine Vorlage „{1}“ in {2}',
  'The provider "{}" has no {} channels': 'Der Anbieter „{1}“ hat keine Kanäle der Art {2}',
  'The contact has no handle of the type {}, which {} channels need':
    'Der Kontakt hat keine Adresse der Art {1}, die Kanäle der Art {2} brauchen',
  'A contact needs a firstName, a lastName, a phoneNumber, an email or another handle':
    'Ein Kontakt braucht einen Vornamen, einen Nachnamen, eine Telefonnummer, eine E-Mail-Adresse oder eine andere Adresse',
  'Another {} of the list is the primary one already':
    'Ein anderer Eintrag {1} der Liste ist schon der wichtigste',
  'Cannot be null while handles has a {}': 'Darf nicht null sein, solange handles {1} hat',
  'phoneNumber or email is required to identify a contact':
    'Eine Telefonnummer oder E-Mail-Adresse ist nötig, um einen Kontakt zu erkennen',
  'Must be a language tag such as "de" or "pt-BR"': 'Muss das Kürzel einer Sprache sein, wie de oder pt-BR',
  'Must be a phone number written with + and the country code, such as +15550001111':
    'Muss eine Telefonnummer mit + und Ländervorwahl sein, wie +491701234567',
  'No country has a number such as {}: check the country code after the + and the number of digits':
    'Kein Land hat eine Nummer wie {1}: Prüfen Sie die Ländervorwahl nach dem + und die Anzahl der Ziffern',
  '{} has no number such as {}: check the number of digits':
    '{1} hat keine Nummer wie {2}: Prüfen Sie die Anzahl der Ziffern',
  'Must be an email address such as ada@example.com': 'Muss eine E-Mail-Adresse sein, wie ada@example.com',
  "Must be the vendor's id of the person": 'Muss die ID der Person beim Anbieter sein',
  'Must be a number such as 42 or -0.5': 'Muss eine Zahl sein, wie 42 oder -0.5',
  'Must be a date such as 2026-11-15': 'Muss ein Datum sein, wie 2026-11-15',
  'Must be an ISO 8601 time such as 2026-11-15T01:02:03Z':
    'Muss ein Zeitpunkt nach ISO 8601 sein, wie 2026-11-15T01:02:03Z',
  'Must be a URL that begins with http:// or https://':
    'Muss eine Adresse sein, die mit http:// oder https:// beginnt',
  'Required, unless id is given': 'Erforderlich, außer wenn id angegeben ist',
  'Required, unless ids is given': 'Erforderlich, außer wenn ids angegeben ist',
  'Required, unless messageId is given': 'Erforderlich, außer wenn messageId angegeben ist',
  'Required, unless teamId is given': 'Erforderlich, außer wenn teamId angegeben ist',
  'Required with the type "{}"': 'Erforderlich beim Typ „{1}“',
  'Not allowed with the type "{}"': 'Beim Typ „{1}“ nicht erlaubt',
  'Only one of audience and segmentId is allowed': 'Nur eines von audience und segmentId ist erlaubt',
  'Only one of automationId and message is allowed': 'Nur eines von automationId und message ist erlaubt',
  'Only one of eventId and messageId is allowed': 'Nur eines von eventId und messageId ist erlaubt',
  'Only one of query and ids is allowed': 'Nur eines von query und ids ist erlaubt',
  'Only one of versionId and definition is allowed': 'Nur eines von versionId und definition ist erlaubt',
  'Matches more than {}; use a narrower one several times':
    'Passt auf mehr als {1}; verwenden Sie mehrmals einen engeren Filter',
  'A select needs at least one option': 'Eine Auswahl braucht mindestens eine Option',
  'Only a select has options, this is a {}': 'Nur eine Auswahl hat Optionen, dies ist {1}',
  'Must be true: a token has no views of its own': 'Muss true sein: Ein Token hat keine eigenen Ansichten',
  'Must begin with a letter and have at most 64 letters, digits and underscores':
    'Muss mit einem Buchstaben beginnen und darf höchstens 64 Buchstaben, Ziffern und Unterstriche haben',
  'Only allowed with the status "snoozed"': 'Nur beim Zustand „snoozed“ erlaubt',
  'Must differ from from: quiet hours end before they begin again':
    'Muss sich von from unterscheiden: Ruhezeiten enden, bevor sie wieder beginnen',
  'Must end after it begins': 'Muss enden, nachdem es beginnt',
  'Must end after it begins: hours over midnight are ["{}","24:00"], and ["00:00","{}"] on the day after':
    'Muss enden, nachdem es beginnt: Zeiten über Mitternacht sind ["{1}","24:00"] und am Tag danach ["00:00","{2}"]',
  'Overlaps with {}': 'Überschneidet sich mit {1}',
  'The hours of all channels together are too many: set common ones for the tenant, or remove dates that have passed':
    'Die Zeiten aller Kanäle zusammen sind zu viele: Legen Sie gemeinsame für den Mandanten fest, oder entfernen Sie vergangene Tage',
  'The period has more than {} of them; choose a longer interval or a shorter period':
    'Der Zeitraum hat mehr als {1} davon; wählen Sie ein längeres Intervall oder einen kürzeren Zeitraum',
  'The report would have too many rows; choose a longer interval, a shorter period or a filter':
    'Der Bericht hätte zu viele Zeilen; wählen Sie ein längeres Intervall, einen kürzeren Zeitraum oder einen Filter',
  'The report {} cannot be filtered by {}, only by {}':
    'Der Bericht {1} kann nicht nach {2} gefiltert werden, nur nach {3}',
  'The report {} can be grouped by {}': 'Der Bericht {1} kann nach {2} gruppiert werden',
  'At most {} intervals, this would be {}': 'Höchstens {1} Intervalle, dies wären {2}',
  'Events after {} are no longer stored, the oldest is {}. Use 0 to get all that are stored':
    'Ereignisse nach {1} sind nicht mehr gespeichert, das älteste ist {2}. Mit 0 bekommen Sie alle gespeicherten',
  'No event is called "{}". There are {}, and prefixes such as message.*':
    'Kein Ereignis heißt „{1}“. Es gibt {2} und Anfänge wie message.*',
  'No event is called {}. There are {}, and prefixes such as message.*':
    'Kein Ereignis heißt {1}. Es gibt {2} und Anfänge wie message.*',
  'Must be "active" or "inactive", received "disabled"':
    'Muss „active“ oder „inactive“ sein, nicht „disabled“',
  'This is not an absolute URL with a valid host.':
    'Das ist keine vollständige Adresse mit einem gültigen Server.',
  'The URL must begin with https:// or http://, not with {}':
    'Die Adresse muss mit https:// oder http:// beginnen, nicht mit {1}',
  'The URL must not contain a user name or a password.':
    'Die Adresse darf keinen Benutzernamen und kein Passwort enthalten.',
  '{} is not a valid host name.': '{1} ist kein gültiger Name eines Servers.',
  '{} is not a host name.': '{1} ist kein Name eines Servers.',
  'Requests cannot go to {}: it has no public address, and the operator does not name it in PARLEY_OUTBOUND_ALLOW_HOSTS.':
    'Anfragen können nicht an {1} gehen: Es hat keine öffentliche Adresse, und der Betreiber nennt es nicht in PARLEY_OUTBOUND_ALLOW_HOSTS.',
};
