import { getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/min';
import { lazy } from '../../base/lazy.ts';

/** What is known about all numbers with the same country code. */
interface Plan {
  /** The lengths, without the country code, that are possible in every country that has it. */
  lengths: ReadonlySet<number>;
  /** What the library might remove, because some people write it after the country code. */
  prefix: RegExp | undefined;
}

/** Of the library, but not of its types. */
interface NumberingPlan {
  possibleLengths(): number[];
  nationalPrefixForParsing(): string | undefined;
}

function planOf(code: string, countries: readonly string[]): Plan {
  const metadata = new Metadata();
  const select = (plan: string): NumberingPlan => {
    metadata.selectNumberingPlan(plan as never);
    return metadata.numberingPlan as unknown as NumberingPlan;
  };
  const lengths = countries.map((country) => new Set(select(country).possibleLengths()));
  const prefix = select(code).nationalPrefixForParsing();
  return {
    lengths: new Set([...(lengths[0] ?? [])].filter((length) => lengths.every((own) => own.has(length)))),
    prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
  };
}

/** By country code. Created on first use, in 2 ms. */
const plans = lazy(() => {
  const byCode = new Map<string, string[]>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    byCode.set(code, [...(byCode.get(code) ?? []), country]);
  }
  return new Map([...byCode].map(([code, countries]) => [code, planOf(code, countries)]));
});

const E164 = /^\+[1-9]\d{6,14}$/;
const MAX_CODE_DIGITS = 3;

/**
 * Whether a text is certainly a possible number in the form in which it is stored, so that it need not be parsed: that takes 40
 * to 65 µs, this takes 0.3. Says no to what depends on the country or has a prefix.
 */
export function isPlainE164(text: string): boolean {
  if (!E164.test(text)) return false;
  for (let digits = 1; digits <= MAX_CODE_DIGITS; digits += 1) {
    const plan = plans().get(text.slice(1, 1 + digits));
    if (!plan) continue;
    const national = text.slice(1 + digits);
    return plan.lengths.has(national.length) && !plan.prefix?.test(national);
  }
  return false;
}
