import type { Texts } from '../catalogue.ts';
import type { people as en } from '../en/people.ts';

export const people: Texts<typeof en> = {
  'login.title': 'Anmelden',
  'login.email': 'E-Mail',
  'login.password': 'Passwort',
  'login.submit': 'Anmelden',
  'login.oidc': 'Mit Ihrer Organisation anmelden',
  'login.or': 'oder',
  'login.wrong': 'E-Mail oder Passwort sind falsch.',
  'login.code': 'Code',
  'login.codeHelp': 'Die sechs Ziffern Ihrer Authenticator-App oder ein Wiederherstellungscode.',
  'login.codeWrong': 'Der Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.',
  'login.codeTitle': 'Zweiter Faktor',
  'login.back': 'Zurück',
  'login.forgot': 'Passwort vergessen?',
  'login.mail': 'Link zumailen',
  'login.mailText':
    'Geben Sie oben Ihre E-Mail-Adresse ein. Sie bekommen einen Link, um ein neues Passwort zu setzen.',
  'login.mailed':
    'Wenn {email} hier ein Konto hat, ist eine Mail mit einem Link unterwegs. Der Link gilt einmal, für einen Tag.',
  'login.forgotText':
    'Dieser Server verschickt keine Mails. Bitten Sie jemanden mit der Rolle Admin um einen Link, um ein neues zu setzen (Einstellungen → Personen). Wer den Server betreibt, kann auch einen erstellen: npx parley login-link --email {email}',
  'login.yourEmail': 'Ihre Adresse',
  'login.tooMany': {
    one: 'Zu viele Versuche. Versuchen Sie es in {count} Minute noch einmal.',
    other: 'Zu viele Versuche. Versuchen Sie es in {count} Minuten noch einmal.',
  },
  'login.expired': 'Ihre Sitzung ist beendet. Melden Sie sich wieder an; Sie sind dann, wo Sie waren.',
  'login.oidcTitle': 'Anmeldung läuft',
  'login.oidcFailed': 'Ihre Organisation hat Sie nicht angemeldet',
  'login.oidcExpired':
    'Die Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Beginnen Sie noch einmal.',
  'login.oidcNoAnswer':
    'Die Anmeldung Ihrer Organisation antwortet nicht. Versuchen Sie es später noch einmal.',
  'login.oidcNotInvited': 'Niemand hat Sie eingeladen. Bitten Sie um eine Einladung.',
  'login.oidcNotVerified': 'Ihre Organisation hat Ihre E-Mail-Adresse nicht bestätigt.',
  'login.oidcOtherAccount':
    'Ihre E-Mail-Adresse gehört zu einem anderen Konto Ihrer Organisation. Bitten Sie den Betreiber des Servers um einen Link zum Anmelden.',
  'login.oidcTooMany': 'Zu viele Versuche. Versuchen Sie es in 15 Minuten noch einmal.',
  'login.oidcNotValid': 'Was Ihre Organisation geschickt hat, ist nicht gültig. Beginnen Sie noch einmal.',
  'login.noMethod': 'Die Anmeldung ist abgeschaltet. Fragen Sie, wer den Server betreibt.',

  'welcome.title': 'Willkommen bei Parley',
  'welcome.first':
    'Sie sind die erste Person hier. Erstellen Sie Ihr Konto: Es darf alles, auch den Server betreiben.',
  'welcome.invitation': 'Sie sind zu {tenant} eingeladen. Erstellen Sie Ihr Konto.',
  'welcome.join': 'Sie sind zu {tenant} eingeladen. Melden Sie sich mit dem Passwort Ihres Kontos an.',
  'welcome.reset': 'Setzen Sie ein neues Passwort.',
  'welcome.enter':
    'Dieser Link meldet Sie an. Setzen Sie ein neues Passwort, wenn Sie möchten. Der zweite Faktor wird abgeschaltet.',
  'welcome.tenantName': 'Ihre Organisation',
  'welcome.name': 'Ihr Name',
  'welcome.email': 'E-Mail',
  'welcome.password': 'Passwort',
  'welcome.newPassword': 'Neues Passwort',
  'welcome.passwordHelp': 'Mindestens 10 Zeichen. Vier zufällige Wörter sind gut.',
  'welcome.optional': 'Leer lassen, um das jetzige zu behalten.',
  'welcome.create': 'Konto erstellen',
  'welcome.joinAction': '{tenant} beitreten',
  'welcome.setPassword': 'Passwort setzen und anmelden',
  'welcome.enterAction': 'Anmelden',
  'welcome.noPassword': 'Sie melden sich mit dem Konto Ihrer Organisation an.',
  'welcome.invalid': 'Dieser Link funktioniert nicht mehr',
  'welcome.invalidText':
    'Er ist abgelaufen oder wurde schon benutzt. Bitten Sie um einen neuen, oder melden Sie sich an, wenn Sie ein Konto haben. Wer den Server betreibt, erstellt einen mit: npx parley login-link',
  'welcome.toLogin': 'Zur Anmeldung',

  'profile.name': 'Name',
  'profile.nameHelp':
    'So sehen ihn Ihre Kolleginnen und Kollegen. Kunden sehen ihn nur, wo Sie ihn schreiben.',
  'profile.email': 'E-Mail',
  'profile.role': 'Rolle in {tenant}',
  'profile.operator': 'Betreibt diesen Server',
  'profile.you': 'Sie',
  'profile.desktop': 'Mitteilungen dieses Geräts',
  'profile.desktopText':
    'Was die Glocke zählt, zeigt auch Ihr Gerät, während Sie etwas anderes ansehen. Es nennt den Kunden und zeigt nichts von dem, was er geschrieben hat.',
  'profile.desktopLabel': 'In diesem Browser zeigen',
  'profile.desktopRefused':
    'Ihr Browser blockiert Mitteilungen dieser Seite. Erlauben Sie sie in seinen Einstellungen für diese Seite, und versuchen Sie es noch einmal.',
  'profile.appearance': 'Darstellung und Sprache',
  'profile.password': 'Passwort',
  'profile.currentPassword': 'Jetziges Passwort',
  'profile.newPassword': 'Neues Passwort',
  'profile.changePassword': 'Passwort ändern',
  'profile.passwordChanged': 'Passwort geändert. Alle anderen Sitzungen sind beendet.',
  'profile.passwordNone': 'Sie melden sich mit dem Konto Ihrer Organisation an und haben hier kein Passwort.',
  'profile.totp': 'Zweiter Faktor',
  'profile.totpOff': 'Aus. Mit ihm öffnet ein gestohlenes Passwort allein nichts.',
  'profile.totpOn': 'An. Die Anmeldung fragt nach einem Code Ihrer Authenticator-App.',
  'profile.totpStart': 'Einschalten',
  'profile.totpPassword': 'Geben Sie Ihr Passwort ein, um zu beginnen.',
  'profile.totpContinue': 'Weiter',
  'profile.totpScan':
    'Scannen Sie diesen Code mit Ihrer Authenticator-App, und geben Sie dann die sechs Ziffern ein, die sie zeigt.',
  'profile.totpQr': 'QR-Code für die Authenticator-App',
  'profile.totpType': 'Oder geben Sie dort dieses Geheimnis ein:',
  'profile.totpOpen': 'In der App auf diesem Gerät öffnen',
  'profile.totpConfirm': 'Bestätigen',
  'profile.totpRecovery': 'Wiederherstellungscodes',
  'profile.totpRecoveryText':
    'Jeder ersetzt einmal einen Code, falls Sie das Gerät verlieren. Bewahren Sie sie sicher auf: Sie werden nicht noch einmal gezeigt.',
  'profile.totpLost':
    'Sie kann trotzdem eingeschaltet sein. Laden Sie die Seite neu. Ist sie ein, schalten Sie sie mit einem Code der App aus, und richten Sie sie neu ein: Sie brauchen die Wiederherstellungscodes.',
  'profile.totpDone': 'Ich habe sie gespeichert',
  'profile.totpDisable': 'Ausschalten',
  'profile.totpDisableText':
    'Geben Sie einen Code der App oder einen Wiederherstellungscode ein, um den zweiten Faktor auszuschalten.',
  'profile.totpDisabled': 'Der zweite Faktor ist aus.',
  'profile.sessions': 'Wo Sie angemeldet sind',
  'profile.sessionBrowser': 'Browser',
  'profile.sessionAddress': 'Adresse',
  'profile.sessionSeen': 'Zuletzt benutzt',
  'profile.sessionThis': 'Dieser Browser',
  'profile.sessionEnd': 'Dort abmelden',
  'profile.sessionEnded': 'Diese Sitzung ist beendet.',

  'role.owner': 'Inhaber',
  'role.admin': 'Admin',
  'role.agent': 'Agent',
  'role.viewer': 'Nur lesen',
};
