import type { ContactCard } from '../contact-card.ts';
import type { Part } from '../meta/payload.ts';

const withoutNulls = (part: Part): Part =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value != null));

/** Meta needs one part of the name besides the whole. */
const nameOf = ({ name, firstName, lastName }: ContactCard): Part =>
  withoutNulls({
    formatted_name: name,
    first_name: firstName ?? (lastName == null ? name : null),
    last_name: lastName,
  });

function cardOf(card: ContactCard): Part {
  const { organization, department, title, birthday, phoneNumbers, emails, urls = [], addresses = [] } = card;
  const org = withoutNulls({ company: organization, department, title });
  return {
    name: nameOf(card),
    ...(Object.keys(org).length === 0 ? {} : { org }),
    ...(birthday == null ? {} : { birthday }),
    ...(phoneNumbers.length === 0 ? {} : { phones: phoneNumbers.map((phone) => ({ phone })) }),
    ...(emails.length === 0 ? {} : { emails: emails.map((email) => ({ email })) }),
    ...(urls.length === 0 ? {} : { urls: urls.map((url) => ({ url })) }),
    ...(addresses.length === 0
      ? {}
      : {
          addresses: addresses.map(({ countryCode, ...address }) =>
            withoutNulls({ ...address, country_code: countryCode }),
          ),
        }),
  };
}

export const contactsPayload = (contacts: unknown): Part[] => (contacts as ContactCard[]).map(cardOf);
