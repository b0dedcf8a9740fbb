/** The signs that people use in conversations, with words by which they are found: first the name in English, then in German. */
const LIST = `
😀|grinning face happy|grinsen fröhlich
😃|smiling open mouth|lächeln offen
😄|laughing eyes|lachen Augen
😁|beaming teeth|strahlen Zähne
😅|relieved sweat laugh|erleichtert Schweiß
😂|tears of joy|Freudentränen lachen
🤣|rolling on the floor|kaputtlachen Boden
🙂|slight smile|leichtes Lächeln
🙃|upside down|kopfüber
😉|wink|zwinkern
😊|blush smile|erröten lächeln
😇|halo angel|Heiligenschein Engel
🥰|hearts in love|Herzchen verliebt
😍|heart eyes|Herzaugen
😘|kiss|Kuss
😋|yummy delicious|lecker
😜|tongue wink|Zunge zwinkern
🤗|hug|umarmen
🤔|thinking|nachdenken
🤨|raised eyebrow doubt|Augenbraue Zweifel
😐|neutral|neutral
😏|smirk|verschmitzt
🙄|rolling eyes|Augen rollen
😬|grimace awkward|Grimasse peinlich
😌|relieved calm|erleichtert ruhig
😔|pensive sad|bedrückt traurig
😴|sleeping tired|schlafen müde
😷|mask ill|Maske krank
🤒|fever thermometer|Fieber Thermometer
🤯|mind blown|verblüfft Kopf
🥳|party celebrate|Party feiern
😎|sunglasses cool|Sonnenbrille cool
🤓|nerd glasses|Streber Brille
😕|confused|verwirrt
😟|worried|besorgt
🙁|frown|Stirnrunzeln
😮|surprised|überrascht
😲|astonished|erstaunt
🥺|pleading|bittend
😢|crying|weinen
😭|sobbing loud|schluchzen laut
😱|scream fear|Schrei Angst
😞|disappointed|enttäuscht
😓|cold sweat|kalter Schweiß
😩|weary|erschöpft
😤|huff triumph|schnauben
😡|angry|wütend
🤬|swearing|fluchen
😈|devil|Teufel
💀|skull|Totenkopf
👻|ghost|Gespenst
🤖|robot bot|Roboter
💩|poop|Haufen
👍|thumbs up yes like|Daumen hoch ja gefällt
👎|thumbs down no|Daumen runter nein
👌|ok perfect|okay perfekt
✌️|victory peace|Sieg Frieden
🤞|fingers crossed luck|Daumen drücken Glück
🤙|call me|ruf an
👈|point left|links zeigen
👉|point right|rechts zeigen
👆|point up|nach oben zeigen
👇|point down|nach unten zeigen
👋|wave hello bye|winken hallo tschüss
🤝|handshake deal|Handschlag abgemacht
🙏|please thanks pray|bitte danke beten
👏|applause clap|Applaus klatschen
🙌|raised hands hooray|Hände hoch hurra
💪|strong muscle|stark Muskel
✍️|writing|schreiben
🤷|shrug|Schulterzucken
🤦|facepalm|Hand vor Gesicht
🙋|raise hand question|melden Frage
👀|eyes look|Augen schauen
❤️|red heart love|rotes Herz Liebe
🧡|orange heart|oranges Herz
💛|yellow heart|gelbes Herz
💚|green heart|grünes Herz
💙|blue heart|blaues Herz
💜|purple heart|lila Herz
🖤|black heart|schwarzes Herz
💔|broken heart|gebrochenes Herz
💕|two hearts|zwei Herzen
⭐|star|Stern
🌟|shining star|leuchtender Stern
✨|sparkles|Funkeln
⚡|lightning fast|Blitz schnell
🔥|fire hot|Feuer heiß
💥|boom explosion|Knall Explosion
🎉|party popper congratulations|Konfetti Glückwunsch
🎊|confetti ball|Konfettiball
🎁|gift present|Geschenk
🎂|birthday cake|Geburtstag Torte
🎈|balloon|Luftballon
🏆|trophy winner|Pokal Gewinner
🥇|gold medal first|Goldmedaille erster
🎯|target goal|Ziel Treffer
✅|check done yes|Haken erledigt ja
☑️|checkbox|Kästchen abgehakt
❌|cross no wrong|Kreuz nein falsch
❓|question|Frage
❗|exclamation important|Ausrufezeichen wichtig
⚠️|warning|Warnung
🚫|forbidden|verboten
🆗|ok button|okay Knopf
🆕|new|neu
💯|hundred percent|hundert Prozent
➡️|arrow right|Pfeil rechts
⬅️|arrow left|Pfeil links
⬆️|arrow up|Pfeil hoch
⬇️|arrow down|Pfeil runter
🔄|refresh again|aktualisieren nochmal
🔍|search magnifier|suchen Lupe
🔒|locked secure|Schloss sicher
🔓|unlocked open|offen entsperrt
🔑|key|Schlüssel
🔔|bell reminder|Glocke Erinnerung
📌|pin|Stecknadel
📎|paperclip attachment|Büroklammer Anhang
📝|memo note|Notiz Zettel
📄|document page|Dokument Seite
📁|folder|Ordner
📅|calendar date|Kalender Termin
🕐|clock time|Uhr Zeit
⏰|alarm clock|Wecker
⏳|hourglass waiting|Sanduhr warten
📞|phone call|Telefon Anruf
📱|mobile phone|Handy
💻|laptop computer|Laptop Computer
🖨️|printer|Drucker
📷|camera photo|Kamera Foto
🎥|video film|Video Film
🎤|microphone|Mikrofon
🎧|headphones|Kopfhörer
📧|email|E-Mail
✉️|letter envelope|Brief Umschlag
📦|package parcel|Paket
🚚|delivery truck|Lieferwagen Lieferung
🏠|house home|Haus Zuhause
🏢|office building|Büro Gebäude
🏪|shop store|Laden Geschäft
🏦|bank|Bank
🏥|hospital|Krankenhaus
✈️|airplane flight|Flugzeug Flug
🚗|car|Auto
🚕|taxi|Taxi
🚌|bus|Bus
🚆|train|Zug Bahn
🚲|bicycle|Fahrrad
🚶|walking|gehen zu Fuß
🗺️|map|Karte Landkarte
📍|location place|Ort Standort
🌍|world earth|Welt Erde
☀️|sun sunny|Sonne sonnig
🌙|moon night|Mond Nacht
☁️|cloud|Wolke
🌧️|rain|Regen
❄️|snow cold|Schnee kalt
🌈|rainbow|Regenbogen
🌱|seedling plant|Keimling Pflanze
🌸|blossom flower|Blüte Blume
🌹|rose|Rose
🌲|tree|Baum
🐶|dog|Hund
🐱|cat|Katze
🦊|fox|Fuchs
🐻|bear|Bär
🦄|unicorn|Einhorn
🐝|bee|Biene
🍎|apple|Apfel
🍋|lemon|Zitrone
🍓|strawberry|Erdbeere
🍕|pizza|Pizza
🍔|burger|Burger
🍟|fries|Pommes
🥗|salad|Salat
🍝|pasta spaghetti|Nudeln Spaghetti
🍣|sushi|Sushi
🍦|ice cream|Eis
🍪|cookie|Keks
🍰|cake|Kuchen
☕|coffee|Kaffee
🍵|tea|Tee
🍺|beer|Bier
🍷|wine|Wein
🥂|cheers toast|anstoßen Prost
💶|euro money|Euro Geld
💵|dollar money|Dollar Geld
💳|credit card|Kreditkarte
🧾|receipt bill|Beleg Rechnung
🛒|shopping cart|Einkaufswagen
🏷️|price tag label|Preisschild Etikett
💡|idea light bulb|Idee Glühbirne
🔧|wrench repair|Schraubenschlüssel Reparatur
⚙️|settings gear|Einstellungen Zahnrad
🧪|test tube|Reagenzglas Test
💊|pill medicine|Tablette Medizin
👕|shirt|Hemd
👗|dress|Kleid
👟|shoe sneaker|Schuh
👓|glasses|Brille
💍|ring|Ring
⚽|football soccer|Fußball
🏀|basketball|Basketball
🎾|tennis|Tennis
🎮|game controller|Spiel Controller
🎵|music note|Musik Note
📚|books|Bücher
🎓|graduation|Abschluss Studium
👶|baby|Baby
👨‍👩‍👧|family|Familie
👩‍💻|woman at computer|Frau am Computer
👨‍🔧|mechanic|Mechaniker
🚀|rocket launch|Rakete Start
`;

interface Emoji {
  sign: string;
  en: string;
  de: string;
}

export const EMOJI: readonly Emoji[] = LIST.trim()
  .split('\n')
  .map((line) => {
    const [sign = '', en = '', de = ''] = line.split('|');
    return { sign, en, de };
  });
