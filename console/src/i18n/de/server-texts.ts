/** Texts that the server has in English only: how channels are set up, and what queues do. */
export const serverTexts: Readonly<Record<string, string>> = {
  Sandbox: 'Sandbox',
  'Delay of statuses': 'Verzögerung der Zustände',
  'Milliseconds between sent, delivered and read.':
    'Millisekunden zwischen gesendet, zugestellt und gelesen.',
  'Customers read by themselves': 'Kunden lesen von selbst',
  'On unless it is switched off.': 'An, solange es nicht ausgeschaltet wird.',
  'Receive a message.': 'Empfangen Sie eine Nachricht.',
  'Send a message.': 'Senden Sie eine Nachricht.',
  'Nothing: the sandbox needs no account. Write as a customer with the phone beside the inbox.':
    'Nichts: Die Sandbox braucht kein Konto. Schreiben Sie als Kunde mit dem Telefon neben dem Posteingang.',
  'Meta Cloud API': 'Meta Cloud API',
  Meta: 'Meta',
  Twilio: 'Twilio',
  'Mail server': 'Mailserver',
  'Phone number ID': 'Telefonnummer-ID',
  'Of the number, on WhatsApp → API Setup. Digits only.':
    'Der Nummer, unter WhatsApp → API Setup. Nur Ziffern.',
  'WhatsApp Business Account ID': 'ID des WhatsApp-Business-Kontos',
  'On the same page. Digits only.': 'Auf derselben Seite. Nur Ziffern.',
  'App ID': 'App-ID',
  'On App settings → Basic. Needed for media in templates.':
    'Unter App settings → Basic. Nötig für Medien in Vorlagen.',
  'Access token': 'Zugriffstoken',
  'With which Parley calls Meta.': 'Mit dem Parley Meta aufruft.',
  'App secret': 'App-Geheimnis',
  'With which Meta signs its requests.': 'Mit dem Meta seine Anfragen signiert.',
  'Verify token': 'Prüftoken',
  'Any text without spaces. Enter the same at Meta.':
    'Ein beliebiger Text ohne Leerzeichen. Tragen Sie denselben bei Meta ein.',
  'Graph version': 'Graph-Version',
  'Such as v26.0, if it must be a certain one.': 'Zum Beispiel v26.0, wenn es eine bestimmte sein muss.',
  'Base URL': 'Basis-URL',
  'Only for a server that stands for Meta.': 'Nur für einen Server, der für Meta steht.',
  'Only for a server that stands for Twilio.': 'Nur für einen Server, der für Twilio steht.',
  'Import history': 'Verlauf importieren',
  'Imports chats of the WhatsApp Business app.': 'Importiert Chats der WhatsApp-Business-App.',
  'Create an app of the type Business at developers.facebook.com and add the product WhatsApp.':
    'Legen Sie unter developers.facebook.com eine App vom Typ Business an, und fügen Sie das Produkt WhatsApp hinzu.',
  'Generate a permanent token for a system user with whatsapp_business_messaging and whatsapp_business_management.':
    'Erzeugen Sie für einen Systembenutzer ein dauerhaftes Token mit whatsapp_business_messaging und whatsapp_business_management.',
  'Create the channel here, with ids, token, app secret and a verify token of your choice.':
    'Legen Sie hier den Kanal an, mit IDs, Token, App-Geheimnis und einem Prüftoken Ihrer Wahl.',
  'On WhatsApp → Configuration enter the webhook URL and the verify token, and subscribe to messages and the other fields of the guide.':
    'Tragen Sie unter WhatsApp → Configuration die Webhook-URL und das Prüftoken ein, und abonnieren Sie messages und die anderen Felder der Anleitung.',
  'Subscribe the app to the WhatsApp Business Account (subscribed_apps), or Meta sends nothing.':
    'Verbinden Sie die App mit dem WhatsApp-Business-Konto (subscribed_apps), sonst sendet Meta nichts.',
  'Check the channel, then write a message to the number.':
    'Prüfen Sie den Kanal, und schreiben Sie dann eine Nachricht an die Nummer.',
  'Account ID': 'Konto-ID',
  'The user_id of the professional account. Digits only.':
    'Die user_id des professionellen Kontos. Nur Ziffern.',
  'Human agent': 'Menschlicher Agent',
  'Replies of people up to seven days later, if Meta allows it.':
    'Antworten von Menschen bis zu sieben Tage später, wenn Meta es erlaubt.',
  'Create an app of the type Business at developers.facebook.com and add Instagram with Instagram login.':
    'Legen Sie unter developers.facebook.com eine App vom Typ Business an, und fügen Sie Instagram mit Instagram-Login hinzu.',
  'Add the account there, and generate its access token.':
    'Fügen Sie dort das Konto hinzu, und erzeugen Sie sein Zugriffstoken.',
  'Create the channel here, with account ID, token, Instagram app secret and a verify token of your choice.':
    'Legen Sie hier den Kanal an, mit Konto-ID, Token, Instagram-App-Geheimnis und einem Prüftoken Ihrer Wahl.',
  'Under Configure webhooks enter the webhook URL and the verify token, and subscribe to messages.':
    'Tragen Sie unter Configure webhooks die Webhook-URL und das Prüftoken ein, und abonnieren Sie messages.',
  'Check the channel, then write a message to the account.':
    'Prüfen Sie den Kanal, und schreiben Sie dann eine Nachricht an das Konto.',
  'Account SID': 'Account-SID',
  'AC and 32 characters, on the start page of the console.':
    'AC und 32 Zeichen, auf der Startseite der Konsole.',
  'Auth token': 'Auth-Token',
  'Beside it. Twilio signs its requests with it.': 'Daneben. Twilio signiert damit seine Anfragen.',
  'API key SID': 'API-Key-SID',
  'SK and 32 characters. Calls use it instead of the auth token.':
    'SK und 32 Zeichen. Aufrufe verwenden ihn statt des Auth-Tokens.',
  'API key secret': 'API-Key-Geheimnis',
  'Together with the API key SID.': 'Zusammen mit der API-Key-SID.',
  Sender: 'Absender',
  'A number, short code or name; this or a messaging service.':
    'Eine Nummer, eine Kurzwahl oder ein Name; dies oder ein Messaging-Service.',
  'Messaging service SID': 'Messaging-Service-SID',
  'MG and 32 characters; this or a sender.': 'MG und 32 Zeichen; dies oder ein Absender.',
  'Buy a number that can send SMS, or create a messaging service with one.':
    'Kaufen Sie eine Nummer, die SMS senden kann, oder legen Sie einen Messaging-Service mit einer an.',
  'Create the channel here, with account SID, auth token and sender.':
    'Legen Sie hier den Kanal an, mit Account-SID, Auth-Token und Absender.',
  'At the number, under Messaging → A message comes in, choose Webhook and HTTP POST, and enter the webhook URL.':
    'Wählen Sie bei der Nummer unter Messaging → A message comes in Webhook und HTTP POST, und tragen Sie die Webhook-URL ein.',
  'Check the channel, then write an SMS to the number.':
    'Prüfen Sie den Kanal, und schreiben Sie dann eine SMS an die Nummer.',
  'An address, or Name <address>.': 'Eine Adresse, oder Name <Adresse>.',
  'Outgoing server': 'Postausgangsserver',
  'The host of the SMTP server.': 'Der Name des SMTP-Servers.',
  'Outgoing port': 'Port des Postausgangs',
  'Usually 465 or 587.': 'Meistens 465 oder 587.',
  'Outgoing user': 'Benutzer des Postausgangs',
  'With a password, unless there is OAuth.': 'Mit einem Passwort, außer bei OAuth.',
  'Outgoing password': 'Passwort des Postausgangs',
  'Of that user.': 'Dieses Benutzers.',
  'Outgoing TLS': 'TLS des Postausgangs',
  'From the first byte; on by itself for port 465.': 'Vom ersten Byte an; bei Port 465 von selbst.',
  'Incoming server': 'Posteingangsserver',
  'The host of the IMAP server.': 'Der Name des IMAP-Servers.',
  'Incoming port': 'Port des Posteingangs',
  'Usually 993.': 'Meistens 993.',
  'Incoming user': 'Benutzer des Posteingangs',
  'Of the mailbox.': 'Des Postfachs.',
  'Incoming password': 'Passwort des Posteingangs',
  Folder: 'Ordner',
  'INBOX unless another one is named.': 'INBOX, wenn kein anderer genannt ist.',
  'Incoming TLS': 'TLS des Posteingangs',
  'From the first byte; on by itself for port 993.': 'Vom ersten Byte an; bei Port 993 von selbst.',
  'OAuth vendor': 'OAuth-Anbieter',
  'microsoft365 or google.': 'microsoft365 oder google.',
  'OAuth directory': 'OAuth-Verzeichnis',
  'Of Microsoft 365.': 'Von Microsoft 365.',
  'OAuth client ID': 'OAuth-Client-ID',
  'Of your app at the vendor.': 'Ihrer App beim Anbieter.',
  'OAuth client secret': 'OAuth-Client-Geheimnis',
  'If your app has one.': 'Wenn Ihre App eines hat.',
  'OAuth refresh token': 'OAuth-Refresh-Token',
  'Of the mailbox’s user.': 'Des Benutzers des Postfachs.',
  'OAuth token URL': 'OAuth-Token-URL',
  'For another vendor.': 'Für einen anderen Anbieter.',
  'OAuth scopes': 'OAuth-Scopes',
  'Secret for posted mail': 'Geheimnis für übergebene Mails',
  'At least 16 characters.': 'Mindestens 16 Zeichen.',
  'Plus addressing': 'Plus-Adressen',
  'Mail to help+anything@ arrives at help@.': 'Mails an help+irgendwas@ kommen bei help@ an.',
  'Add the SPF and DKIM records of your mail provider to the domain.':
    'Tragen Sie die SPF- und DKIM-Einträge Ihres Mailanbieters bei der Domain ein.',
  'Create the channel here, with the outgoing server, and the mailbox or a secret for posted mail.':
    'Legen Sie hier den Kanal an, mit dem Postausgangsserver und dem Postfach oder einem Geheimnis für übergebene Mails.',
  'Only for posted mail: let your mail server post each mail to the webhook URL, signed with the secret.':
    'Nur für übergebene Mails: Lassen Sie Ihren Mailserver jede Mail an die Webhook-URL senden, signiert mit dem Geheimnis.',
  'Check the channel, then write a mail to the address.':
    'Prüfen Sie den Kanal, und schreiben Sie dann eine Mail an die Adresse.',
  'The number that customers write to, such as +15550009999':
    'Die Nummer, an die Kunden schreiben, zum Beispiel +15550009999',
  'The address that customers write to, such as help@example.com':
    'Die Adresse, an die Kunden schreiben, zum Beispiel help@example.com',
  'The name of the account': 'Der Name des Kontos',
  "turn vendors' requests into messages, statuses, edits and read receipts, in one transaction":
    'macht aus Anfragen der Anbieter Nachrichten, Zustände, Änderungen und Lesebestätigungen',
  'create, change or delete templates at vendors that review them':
    'legt Vorlagen bei Anbietern an, die sie prüfen, ändert und löscht sie',
  'execute the steps of runs up to the next wait, in one transaction':
    'führt die Schritte von Läufen bis zum nächsten Warten aus',
  'fetch the files of received messages from vendors':
    'holt die Dateien erhaltener Nachrichten von den Anbietern',
  'mail links of invitations and of new passwords': 'verschickt Links für Einladungen und neue Passwörter',
  'make the calls of http_request steps and store their answers':
    'ruft für http_request-Schritte auf und speichert die Antworten',
  'number events; create their deliveries and runs in the same transaction':
    'nummeriert Ereignisse und legt ihre Zustellungen und Läufe an',
  'open chats whose snooze has ended': 'öffnet Chats, deren Zurückstellung vorbei ist',
  'read IMAP mailboxes; new mail becomes inbound requests':
    'liest IMAP-Postfächer; neue Mails werden eingehende Anfragen',
  'remove the bytes of deleted files and abandoned uploads from the disk':
    'entfernt gelöschte Dateien und abgebrochene Uploads von der Platte',
  'send events to webhooks, each as a signed POST':
    'sendet Ereignisse an Webhooks, jedes als signierten POST',
  'send messages to vendors, one at a time per chat':
    'sendet Nachrichten an die Anbieter, je Chat eine nach der anderen',
  'send read receipts and typing indicators to vendors, fetch profiles of contacts':
    'sendet Lesebestätigungen und Tippanzeigen, holt Profile von Kontakten',
  'start occurrences of campaigns and the runs of their recipients, 500 per transaction':
    'startet Termine von Kampagnen und die Läufe ihrer Empfänger',
  'start the runs of automations with a schedule, for all contacts of their audience':
    'startet Läufe von Automationen mit Zeitplan für alle Kontakte ihrer Zielgruppe',
  'wake runs that wait for a reply, when the contact has written':
    'weckt Läufe, die auf eine Antwort warten, wenn der Kontakt geschrieben hat',
  'count what happened in an hour, again if something in it has changed':
    'zählt, was in einer Stunde geschah, und noch einmal, wenn sich darin etwas geändert hat',
  'delete large tenants, channels and contacts, change many chats, contacts or runs, import files, retry deliveries and wake runs, a batch at a time':
    'löscht, was zu großen Mandanten, Kanälen und Kontakten gehört; führt Massenaktionen, Importe und erneute Zustellungen aus und weckt Läufe, in Teilen',
};
