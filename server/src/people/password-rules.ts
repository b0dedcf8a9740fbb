import { countCharacters } from '../base/characters.ts';
import { type ApiError, invalidParam } from '../base/errors.ts';

export const MIN_PASSWORD_CHARACTERS = 10;
export const MAX_PASSWORD_CHARACTERS = 256;

/** Words that most lists of leaked passwords begin with. With digits and signs around them they are guessed as early. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  `abc abcd abcde abcdef access admin administrator adminadmin alexander amanda america andrea andrew angel anthony apple
   asdf asdfgh asdfghjkl ashley austin baseball basketball batman berlin blink boomer buster butterfly changeit changeme
   charlie cheese chelsea chicken chocolate christian claudia computer cookie corvette daniel default demo diamond dolphin
   dragon eagle elizabeth facebook falcon fernando flower football forever freedom friends gateway ginger giants google guest
   guitar hallo hammer hannah harley heather hello hellokitty helloworld hockey hunter iceman iloveu iloveyou jackson jasmine
   jennifer jessica jordan joshua justin killer knight letmein liverpool login london lovely loveme maggie manager marina
   martin master matrix matthew melissa mercedes michael michelle mickey midnight monkey monster mustang mypassword naruto
   nicholas nicole nothing oliver orange passw passwd password passwordpassword passwort patrick pepper phoenix pokemon
   princess private purple qazwsx qazwsxedc qwer qwert qwerty qwertyui qwertyuiop qwertz qwertzuiop rachel rainbow ranger root
   samantha samsung scooter secret security server shadow silver slipknot snoopy soccer spiderman starwars steelers stephanie
   summer autumn winter spring sommer herbst sunshine superman support sysadmin taylor temp tennis test tester testtest thomas
   thunder tigger tinkerbell trustno user username victoria virginia welcome whatever william willkommen yamaha yankees yellow
   zaq zaqwsx zxcvbn zxcvbnm`
    .split(/\s+/)
    .filter(Boolean),
);

/** Neighbours on keyboards and in the alphabet. A password that is a part of one, in either direction, is guessed early. */
const SEQUENCES = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujmikolp',
];
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  $: 's',
  '@': 'a',
};
const MAX_UNIT = 4;

const reverse = (text: string): string => [...text].reverse().join('');
const isPartOfSequence = (text: string): boolean =>
  SEQUENCES.some((sequence) => sequence.includes(text) || reverse(sequence).includes(text));
const isRepetition = (text: string): boolean =>
  Array.from({ length: MAX_UNIT }, (_, index) => text.slice(0, index + 1)).some(
    (unit) => unit !== '' && unit.repeat(Math.ceil(text.length / unit.length)).startsWith(text),
  );
const lettersOf = (text: string): string => text.replaceAll(/[^a-z]/g, '');
const withoutLeet = (text: string): string => [...text].map((one) => LEET[one] ?? one).join('');
const withoutEnds = (text: string): string => text.replaceAll(/^[^a-z@$]+|[^a-z@$]+$/g, '');

/** Whether a password is one of the first that anybody would try. */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  const core = withoutEnds(lower);
  return (
    isRepetition(lower) ||
    isPartOfSequence(lower) ||
    [lettersOf(lower), core, lettersOf(withoutLeet(core)), lettersOf(withoutLeet(lower))].some((word) =>
      COMMON_WORDS.has(word),
    )
  );
}

/** What is wrong with a new password at a path; undefined if it is good. */
export function findPasswordIssue(path: string, password: string, email: string): ApiError | undefined {
  if (countCharacters(password) < MIN_PASSWORD_CHARACTERS)
    return invalidParam(path, 'too_small', `Must have at least ${MIN_PASSWORD_CHARACTERS} characters`);
  if (isCommonPassword(password))
    return invalidParam(
      path,
      'custom',
      'This password is one of the first that attackers try; choose another',
    );
  const [name = ''] = email.toLowerCase().split('@');
  const lower = password.toLowerCase();
  if (lower.includes(email.toLowerCase()) || withoutEnds(lower) === name)
    return invalidParam(path, 'custom', 'Must not be your email address');
  return undefined;
}
