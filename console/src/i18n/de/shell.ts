import type { Texts } from '../catalogue.ts';
import type { shell as en } from '../en/shell.ts';

export const shell: Texts<typeof en> = {
  'app.name': 'Parley',
  'app.skip': 'Zum Inhalt springen',
  'nav.main': 'Hauptmenü',
  'nav.menu': 'Menü öffnen',
  'nav.back': 'Zurück',
  'nav.account': 'Konto und Einstellungen',
  'nav.switchTenant': 'Mandanten wechseln',
  'nav.logOut': 'Abmelden',
  'leave.title': 'Nicht Gesendetes verwerfen?',
  'leave.session':
    'Ein Text, eine Datei oder eine Nachricht in diesem Tab wurde nicht gesendet oder gespeichert. Beim Abmelden geht das verloren.',
  'leave.page':
    'Eine Datei oder eine Nachricht in diesem Tab wurde nicht gesendet oder gespeichert. Beim Wechsel des Mandanten geht das verloren.',

  'palette.title': 'Befehle',
  'palette.open': 'Befehle suchen',
  'palette.placeholder': 'Befehl oder Ansicht eingeben',
  'palette.empty': 'Nichts passt zu „{text}“.',
  'palette.screens': 'Gehe zu',
  'palette.actions': 'Ausführen',

  'keys.title': 'Tastenkürzel',
  'keys.show': 'Alle Tastenkürzel zeigen',
  'keys.guide': 'Anleitung zur Konsole lesen',
  'keys.palette': 'Befehle öffnen',
  'keys.goTo': 'Gehe zu {screen}',
  'keys.then': 'dann',
  'keys.general': 'Überall',
  'keys.screen': 'In dieser Ansicht',

  'theme.label': 'Darstellung',
  'theme.system': 'Wie das Gerät',
  'theme.light': 'Hell',
  'theme.dark': 'Dunkel',
  'theme.use': 'Darstellung: {theme}',
  'language.label': 'Sprache',
  'language.use': 'Sprache: {language}',

  'state.offline':
    'Sie sind offline. Was Sie sehen, kann veraltet sein; es wird aktualisiert, sobald Sie wieder verbunden sind.',
  'state.reconnecting': 'Die Verbindung zum Server ist unterbrochen. Neuer Versuch …',
  'state.newVersion': 'Es gibt eine neue Version der Konsole.',
  'state.reload': 'Neu laden',
  'state.loading': 'Wird geladen',

  'error.title': 'Das hat nicht geklappt',
  'error.again': 'Noch einmal versuchen',
  'error.requestId': 'Anfrage {id}',
  'error.screen': 'Diese Ansicht hat ein Problem',
  'error.screenHelp':
    'Laden Sie die Seite neu. Wenn es wieder geschieht, schicken Sie den Text unten an die Person, die diesen Server betreibt.',
  'error.offline': 'Der Server antwortet nicht. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  'error.forbidden':
    'Ihre Rolle erlaubt das nicht. Fragen Sie jemanden mit der Rolle Admin oder Inhaber des Mandanten.',
  'error.notFound': 'Es existiert nicht mehr, oder Sie dürfen es nicht sehen.',
  'error.tooMany': {
    one: 'Zu viele Anfragen. Versuchen Sie es in {count} Sekunde noch einmal.',
    other: 'Zu viele Anfragen. Versuchen Sie es in {count} Sekunden noch einmal.',
  },
  'error.server':
    'Der Server hat ein Problem. Versuchen Sie es gleich noch einmal; wenn es bleibt, fragen Sie, wer den Server betreibt.',
  'error.proxy':
    'Etwas zwischen Ihnen und dem Server hat an seiner Stelle geantwortet. Fragen Sie, wer den Server betreibt.',

  'notFound.title': 'Hier ist nichts',
  'notFound.text': 'Die Adresse ist falsch, oder Ihre Rolle darf diese Ansicht nicht öffnen.',
  'notFound.home': 'Zum Anfang',
  'deleted.title': '„{name}“ wurde gelöscht',
  'deleted.text': 'Jemand hat es gelöscht, während es hier offen war.',
  'tenant.lost': 'Sie gehören nicht mehr zu {lost}. Hier sehen Sie jetzt {tenant}.',
  'noTenant.title': 'Sie gehören zu keinem Mandanten',
  'noTenant.text': 'Bitten Sie jemanden mit der Rolle Admin, Sie mit der Adresse {email} einzuladen.',

  'action.save': 'Speichern',
  'action.cancel': 'Abbrechen',
  'action.close': 'Schließen',
  'action.copy': 'Kopieren',
  'action.copied': 'Kopiert',
  'action.more': 'Mehr',
  saved: 'Gespeichert',

  'job.queued': 'Wartet, bis es an der Reihe ist',
  'job.running': 'Läuft',
  'job.completed': 'Fertig',
  'job.failed': 'Abgebrochen: Es ist nicht mehr möglich',
  'job.cancelled': 'Abgebrochen; was erledigt ist, bleibt',
  'job.done': '{done} von {total}',
  'job.failedItems': { one: '{count} ging nicht', other: '{count} gingen nicht' },
  'job.cancel': 'Abbrechen',
  'job.background': 'Im Hintergrund weiter',

  'filter.open': 'Filtern',
  'filter.title': 'Filter hinzufügen',
  'filter.add': 'Hinzufügen',
  'filter.field': 'Was',
  'filter.value': 'Wert',
  'filter.text': 'Filter als Text',
  'filter.textHelp': 'Der Filter, den die API bekommt, wie ihn die Anleitung zur Suche erklärt.',
  'filter.apply': 'Anwenden',
  'filter.byHand': 'Von Hand geschriebener Filter',
  'filter.show': 'Als Text zeigen',
  'filter.remove': 'Filter {name} entfernen',

  'kind.whatsapp': 'WhatsApp',
  'kind.sms': 'SMS',
  'kind.email': 'E-Mail',
  'kind.instagram': 'Instagram',
};
