/** A card of a contact in a message. Received ones have the same names. */
export interface ContactCard {
  name: string | null;
  firstName?: string | null;
  lastName?: string | null;
  organization: string | null;
  department?: string | null;
  title?: string | null;
  /** YYYY-MM-DD */
  birthday?: string | null;
  phoneNumbers: string[];
  emails: string[];
  urls?: string[];
  addresses?: {
    street?: string;
    city?: string;
    state?: string;
    zip?: string;
    country?: string;
    countryCode?: string;
  }[];
}
