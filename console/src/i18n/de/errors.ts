/**
 * Why the server refuses a request as a whole: what the error is called, and the sentence after it. Written like
 * `validation.ts`. The name of an error is left out where a sentence follows.
 */
export const errors: Readonly<Record<string, string>> = {
  'Invalid body params': 'Die Angaben sind nicht gültig',
  Unauthorized: 'Sie sind nicht angemeldet',
  'Unauthorized: {}': '{1*}',
  'Insufficient billing plan': 'Der Tarif enthält das nicht',
  'Insufficient billing plan: {}': '{1*}',
  'Two-factor code required': 'Der Code der zweistufigen Anmeldung fehlt',
  'Two-factor code required: {}': '{1*}',
  'Contact not found': 'Diesen Kontakt gibt es nicht',
  'Automation not found': 'Diese Automation gibt es nicht',
  'Automation run not found': 'Diesen Lauf gibt es nicht',
  'Automation version not found': 'Diese Version der Automation gibt es nicht',
  'Attribute not found': 'Dieses Attribut gibt es nicht',
  'Event not found': 'Dieses Ereignis gibt es nicht',
  'Event not found: {}': 'Dieses Ereignis gibt es nicht: {1*}',
  'Failed request not found': 'Diese fehlgeschlagene Anfrage gibt es nicht',
  'File not found': 'Diese Datei gibt es nicht',
  'Import not found': 'Diesen Import gibt es nicht',
  'Job not found': 'Diese Aufgabe gibt es nicht',
  'Label not found': 'Dieses Label gibt es nicht',
  'Message not found': 'Diese Nachricht gibt es nicht',
  'Note not found': 'Diese Notiz gibt es nicht',
  'Message template not found': 'Diese Vorlage gibt es nicht',
  'Team not found': 'Dieses Team gibt es nicht',
  'View not found': 'Diese Ansicht gibt es nicht',
  'Saved reply not found': 'Diese gespeicherte Antwort gibt es nicht',
  'User not found': 'Diesen Benutzer gibt es nicht',
  'API webhook not found': 'Diesen Webhook gibt es nicht',
  'Campaign not found': 'Diese Kampagne gibt es nicht',
  'Channel not found': 'Diesen Kanal gibt es nicht',
  'Chat not found': 'Diesen Chat gibt es nicht',
  'Segment not found': 'Dieses Segment gibt es nicht',
  'Tenant not found': 'Diesen Mandanten gibt es nicht',
  'Webhook delivery not found': 'Diese Zustellung gibt es nicht',
  'Route not found': 'Diese Adresse gibt es nicht',
  'Route not found: {}': 'Diese Adresse gibt es nicht: {1*}',
  'File URL expired': 'Die Adresse der Datei gilt nicht mehr',
  'File URL expired: {}': 'Die Adresse der Datei gilt nicht mehr: {1*}',
  'Method not allowed': 'Das ist hier nicht möglich',
  'Method not allowed: {}': 'Das ist hier nicht möglich: {1*}',
  Conflict: 'Das ist zurzeit nicht möglich',
  'Conflict: {}': '{1*}',
  'Limit reached': 'Eine Grenze ist erreicht',
  'Limit reached: {}': 'Eine Grenze ist erreicht: {1*}',
  'API version sunset': 'Diese Version der API ist beendet',
  'API version sunset: {}': 'Diese Version der API ist beendet: {1*}',
  'Payload too large': 'Das ist zu groß',
  'Payload too large: {}': 'Das ist zu groß: {1*}',
  'Unsupported media type': 'Diese Art von Inhalt geht nicht',
  'Unsupported media type: {}': 'Diese Art von Inhalt geht nicht: {1*}',
  'Range not satisfiable': 'Diesen Teil gibt es nicht',
  'Range not satisfiable: {}': 'Diesen Teil gibt es nicht: {1*}',
  'Idempotency key reused': 'Der Idempotency-Key wurde schon verwendet',
  'Idempotency key reused: {}': 'Der Idempotency-Key wurde schon verwendet: {1*}',

  // Statuses, kinds and other words inside of sentences.
  draft: 'ein Entwurf',
  scheduled: 'geplant',
  running: 'im Gang',
  waiting: 'am Warten',
  paused: 'angehalten',
  completed: 'abgeschlossen',
  cancelled: 'abgebrochen',
  failed: 'fehlgeschlagen',
  active: 'aktiv',
  inactive: 'inaktiv',
  archived: 'archiviert',
  disabled: 'abgeschaltet',
  sent: 'gesendet',
  delivered: 'zugestellt',
  read: 'gelesen',
  label: 'Label',
  template: 'Vorlage',
  attribute: 'Attribut',
  user: 'Benutzer',
  team: 'Team',
  channel: 'Kanal',
  automation: 'Automation',
  secret: 'Geheimnis',
  segment: 'Segment',
  campaign: 'Kampagne',

  // Automations and their runs.
  'only test tenants have a clock of their own; the operator creates one with "isTest": true at POST /admin/tenants':
    'Nur Testmandanten haben eine eigene Uhr; der Betreiber legt einen mit "isTest": true unter POST /admin/tenants an',
  'the clock is moving to {}; wait until it has arrived':
    'Die Uhr bewegt sich auf {1} zu; warten Sie, bis sie dort ist',
  'the automation is archived; make it inactive first':
    'Die Automation ist archiviert; machen Sie sie zuerst inaktiv',
  '{}; change the automation first': '{1*}; ändern Sie zuerst die Automation',
  'another version was saved meanwhile; read it, and send its id, {}, as baseVersionId to save yours after it':
    'Inzwischen wurde eine andere Version gespeichert ({1}); laden Sie sie, und speichern Sie Ihre Änderung danach',
  'the automation is {}{}, and cannot become {}': 'Die Automation ist {1*}{2*} und kann nicht {3*} werden',
  ' and was never published; publish it': ', wurde nie veröffentlicht (veröffentlichen Sie sie)',
  'the contact is being changed at the moment; try again':
    'Der Kontakt wird gerade geändert; versuchen Sie es noch einmal',
  'the run is already {}': 'Der Lauf ist schon {1*}',
  'the run failed before its first step': 'Der Lauf ist vor seinem ersten Schritt fehlgeschlagen',
  'the run is {}, not failed': 'Der Lauf ist {1*}, nicht fehlgeschlagen',
  'the automation was changed at the same time; try again':
    'Die Automation wurde zur selben Zeit geändert; versuchen Sie es noch einmal',
  'the automation is {}, and must be active': 'Die Automation ist {1*} und muss aktiv sein',
  'the event is still being handled; try again in a moment':
    'Das Ereignis wird noch verarbeitet; versuchen Sie es gleich noch einmal',
  'the message was imported, or its event is older than the events that are kept':
    'Die Nachricht wurde importiert, oder ihr Ereignis ist älter als die Ereignisse, die aufgehoben werden',

  // Campaigns.
  'the campaign has run before; cancel it instead': 'Die Kampagne lief schon; brechen Sie sie stattdessen ab',
  'the campaign would have no further occurrence; cancel it instead':
    'Die Kampagne hätte keinen weiteren Termin; brechen Sie sie stattdessen ab',
  'the campaign has more than {} recipients; cancel it instead':
    'Die Kampagne hat mehr als {1} Empfänger; brechen Sie sie stattdessen ab',
  'the campaign is {}; only one that is a draft or scheduled can be changed or deleted':
    'Die Kampagne ist {1*}; nur ein Entwurf oder eine geplante Kampagne kann geändert oder gelöscht werden',
  'the campaign has no recipients; add some with POST /v3/campaigns/{campaignId}/recipients':
    'Die Kampagne hat keine Empfänger; fügen Sie welche hinzu',
  'the campaign was changed meanwhile; look at it again before you change its status':
    'Die Kampagne wurde inzwischen geändert; sehen Sie sie noch einmal an, bevor Sie sie starten, anhalten oder abbrechen',
  'a campaign that is {} cannot become {}': 'Eine Kampagne, die {1*} ist, kann nicht {2*} werden',
  'the campaign is {} and takes no recipients': 'Die Kampagne ist {1*} und nimmt keine Empfänger an',
  'the {} is used by the {}; change them first, or add ?force=true':
    '{1*} in Verwendung: {2*}. Ändern Sie das zuerst, oder löschen Sie trotzdem',
  'the import "{}" ({}) reads the file; wait until it has ended or cancel it, or add ?force=true':
    'Der Import „{1}“ ({2}) liest die Datei. Warten Sie sein Ende ab, brechen Sie ihn ab, oder löschen Sie trotzdem',
  'the file was checked by the import "{}" ({}) and is not imported yet; import it first, or add ?force=true':
    'Der Import „{1}“ ({2}) hat die Datei geprüft, importiert ist sie noch nicht. Importieren Sie sie zuerst, oder löschen Sie trotzdem',
  '{} "{}" ({})': '{1*} „{2}“ ({3})',
  '{} "{}" ({}), the {}': '{1*} „{2}“ ({3}), {4*}',
  '{} and others': '{1*} und weitere',

  'the team was changed meanwhile; read it again, and change it then':
    'Das Team wurde inzwischen geändert; schließen Sie das Fenster, und öffnen Sie es erneut',

  // Contacts.
  'the filter is no longer valid: {}': 'Der Filter ist nicht mehr gültig: {1*}',
  'the {} has chats; delete those first, or keep it':
    '{1*} hat Chats; löschen Sie diese zuerst, oder behalten Sie den Eintrag',
  'the contact {} has the {} already, which is the same number':
    'Der Kontakt {1} hat diesen Eintrag schon, der dieselbe Nummer ist: {2*}',
  'the contact {} has the {} already': 'Der Kontakt {1} hat diesen Eintrag schon: {2*}',
  'another contact had the {} until just now; try again':
    'Ein anderer Kontakt hatte diesen Eintrag bis eben: {1*}; versuchen Sie es noch einmal',
  'one of the contacts was deleted in the meantime; try again':
    'Einer der Kontakte wurde inzwischen gelöscht; versuchen Sie es noch einmal',
  'a contact cannot be merged into itself': 'Ein Kontakt kann nicht mit sich selbst zusammengeführt werden',
  'together they have {} handles, and a contact has at most {}; remove some first':
    'Zusammen haben sie {1} Adressen und Nummern, und ein Kontakt hat höchstens {2}; entfernen Sie zuerst einige',

  // Messages, templates, files, jobs, webhooks, events.
  'the position {} is from before a backup was restored, and numbers after it were used again. Read what you need over the API, then start without a position, or with 0 for all stored events':
    'Die Stelle {1} stammt aus der Zeit vor dem Zurückspielen einer Sicherung; laden Sie die Seite neu',
  'the file is private, so it has no permanent URL; `url` of the file is valid for a while':
    'Die Datei ist privat und hat deshalb keine dauerhafte Adresse; `url` der Datei gilt eine Weile',
  'read the message or the file again for a new URL, or download it with a token from /v3/files/{}/content':
    'laden Sie die Nachricht oder die Datei neu, oder laden Sie sie mit einem Token von /v3/files/{1}/content',
  'a request with this Idempotency-Key is still in flight; retry it in a moment':
    'Eine Anfrage mit diesem Idempotency-Key ist noch unterwegs; versuchen Sie es gleich noch einmal',
  'this Idempotency-Key was used with another body; use a new key for a new request':
    'dieser Idempotency-Key gehört zu einer anderen Anfrage; verwenden Sie einen neuen',
  'only bulk actions, imports and repeated deliveries can be cancelled':
    'Nur Sammelaktionen, Importe und wiederholte Zustellungen können abgebrochen werden',
  'the chat was deleted meanwhile': 'Der Chat wurde inzwischen gelöscht',
  'only a scheduled message can be cancelled': 'Nur eine geplante Nachricht kann abgebrochen werden',
  'the message is being sent': 'Die Nachricht wird gerade gesendet',
  'the message is already {}': 'Die Nachricht ist schon {1*}',
  'the vendor already has the template and does not allow changes; create one with another name instead':
    'Der Anbieter hat die Vorlage schon und erlaubt keine Änderungen; legen Sie stattdessen eine mit einem anderen Namen an',
  'the vendor says: {}': 'Der Anbieter sagt: {1}',
  'the delivery is still pending, its next attempt is to come':
    'Die Zustellung steht noch aus; der nächste Versuch kommt noch',
  'the event is no longer stored, so there is nothing to send':
    'Das Ereignis ist nicht mehr gespeichert, deshalb gibt es nichts zu senden',
  'the webhook is deleted': 'Der Webhook ist gelöscht',
  'the webhook is {}; make it active first': 'Der Webhook ist {1*}; machen Sie ihn zuerst aktiv',

  // People.
  'nobody logs in as this user; create an invitation':
    'Niemand meldet sich als dieser Benutzer an; laden Sie jemanden ein',
  'somebody logs in as this user already': 'Als dieser Benutzer meldet sich schon jemand an',
  'this person has rights elsewhere, too; the operator makes a link with: parley login-link --email':
    'Diese Person hat auch anderswo Rechte; der Betreiber erzeugt einen Link mit: parley login-link --email',
  'there is nothing to confirm; start with POST /v3/session/totp':
    'Es gibt nichts zu bestätigen; beginnen Sie die Einrichtung von vorn',
  'two-factor login is not on': 'Die zweistufige Anmeldung ist nicht eingeschaltet',
  'two-factor login is on already; switch it off first':
    'Die zweistufige Anmeldung ist schon eingeschaltet; schalten Sie sie zuerst aus',
  'somebody with this email address has just joined; log in':
    'Jemand mit dieser E-Mail-Adresse ist gerade beigetreten; melden Sie sich an',
  'somebody with this address exists; make a link with: parley login-link --email':
    'Jemanden mit dieser Adresse gibt es schon; erzeugen Sie einen Link mit: parley login-link --email',
  'this is the last owner who can log in; make somebody else an owner first':
    'Das ist der letzte Inhaber, der sich anmelden kann; machen Sie zuerst jemand anderen zum Inhaber',
  'you are a user of this tenant already': 'Sie sind schon ein Benutzer dieses Mandanten',
  'no identity provider is configured': 'kein Anmeldedienst ist eingerichtet',
  'send the code of your authenticator app as "code"': 'Geben Sie den Code Ihrer Authentifizierungs-App an',
  'the tenant has been deleted': 'Der Mandant wurde gelöscht',
  'the account has been deleted': 'Das Konto wurde gelöscht',
  'invalid signature': 'Die Signatur ist nicht gültig',
  'log in with POST /v3/session': 'Melden Sie sich an',
  'send the operator token as Bearer': 'Das Token des Betreibers fehlt',
  'this is not the operator token': 'Das ist nicht das Token des Betreibers',
  'this needs the cookie of a session, not a token': 'Das braucht eine Sitzung, kein Token',
  'send PARLEY_METRICS_TOKEN as Bearer': 'PARLEY_METRICS_TOKEN fehlt',
  'the session has ended, log in again': 'Die Sitzung ist beendet, melden Sie sich wieder an',
  'the link has expired or was used already; ask for a new one':
    'Der Link gilt nicht mehr oder wurde schon verwendet; bitten Sie um einen neuen',
  'the code is wrong or was used already': 'Der Code ist falsch oder wurde schon verwendet',
  'the code is wrong': 'Der Code ist falsch',
  'the email address or the password is wrong': 'Die E-Mail-Adresse oder das Passwort ist falsch',
  'the password is wrong': 'Das Passwort ist falsch',

  // Requests and limits.
  '{} ended on {}; use {}, which {} describes': '{1} endete am {2}; verwenden Sie {3}, beschrieben unter {4}',
  'the plan "{}" does not include {}': 'Der Tarif „{1}“ enthält {2} nicht',
  '{} is {} for this tenant; {}, or ask the operator to raise it':
    '{1*} ist {2} für diesen Mandanten; {3*}, oder bitten Sie den Betreiber um mehr',
  webhooks: 'Anzahl der Webhooks',
  activeAutomations: 'Anzahl der aktiven Automationen',
  runsPerMinute: 'Läufe pro Minute',
  streams: 'Anzahl der Ereignisströme',
  storedFailedRequests: 'Anzahl der gespeicherten fehlgeschlagenen Anfragen',
  storageBytes: 'Speicher für Dateien (in Bytes)',
  unfinishedJobs: 'Anzahl der nicht beendeten Aufgaben',
  segments: 'Anzahl der Segmente',
  inboxViews: 'Anzahl der gespeicherten Ansichten',
  savedReplies: 'Anzahl der gespeicherten Antworten',
  secrets: 'Anzahl der Geheimnisse',
  'delete a webhook that is no longer needed': 'löschen Sie einen Webhook, der nicht mehr gebraucht wird',
  'make an automation inactive that is no longer needed':
    'machen Sie eine Automation inaktiv, die nicht mehr gebraucht wird',
  'try again in a minute': 'versuchen Sie es in einer Minute noch einmal',
  'close a stream first': 'schließen Sie zuerst einen Ereignisstrom',
  'replay or delete failed requests': 'wiederholen oder löschen Sie fehlgeschlagene Anfragen',
  'delete files that are no longer needed': 'löschen Sie Dateien, die nicht mehr gebraucht werden',
  'wait until a job has ended, or cancel one':
    'warten Sie, bis eine Aufgabe beendet ist, oder brechen Sie eine ab',
  'delete a segment that is no longer needed': 'löschen Sie ein Segment, das nicht mehr gebraucht wird',
  'delete a view that is no longer needed': 'löschen Sie eine Ansicht, die nicht mehr gebraucht wird',
  'delete a saved reply that is no longer needed':
    'löschen Sie eine gespeicherte Antwort, die nicht mehr gebraucht wird',
  'delete a secret that is no longer needed': 'löschen Sie ein Geheimnis, das nicht mehr gebraucht wird',
  'use {}': 'verwenden Sie {1}',
  'a file may have at most {} bytes': 'eine Datei darf höchstens {1} Bytes haben',
  'the file has {} bytes': 'die Datei hat {1} Bytes',
  'there is nothing at {} {}': 'unter {1} {2} ist nichts',
  'the path is not well-formed': 'der Pfad ist nicht gültig',
  'the path is too long': 'der Pfad ist zu lang',
  'send less in one request': 'senden Sie weniger in einer Anfrage',
  'send JSON with the header "Content-Type: application/json"':
    'senden Sie JSON mit dem Header "Content-Type: application/json"',
  'send the body as it is, or with the Content-Encoding gzip, deflate or br':
    'senden Sie den Inhalt, wie er ist, oder mit dem Content-Encoding gzip, deflate oder br',
  'send the file as multipart/form-data, in the field "{}"':
    'senden Sie die Datei als multipart/form-data, im Feld „{1}“',
};
