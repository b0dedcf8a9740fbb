/** The settings for access tokens: what a vendor gave out when somebody signed in. */
export interface MailOAuth {
  vendor?: TokenVendor;
  /** Instead of the vendor's. */
  tokenUrl?: string;
  /** The directory of Microsoft Entra that the app belongs to. */
  directoryId?: string;
  clientId: string;
  clientSecret?: string;
  refreshToken: string;
  /** Separated by spaces; instead of the vendor's. */
  scopes?: string;
}

export const TOKEN_VENDORS = ['microsoft365', 'google'] as const;
type TokenVendor = (typeof TOKEN_VENDORS)[number];

export const isTokenVendor = (name: string | undefined): name is TokenVendor =>
  TOKEN_VENDORS.some((vendor) => vendor === name);

interface VendorPreset {
  name: string;
  tokenUrl(directoryId: string | undefined): string;
  scopes?: string;
  /** Where somebody sees why a refresh token has ended, and allows the app again. */
  consentScreen: string;
  /** Where somebody finds the client id and makes a client secret. */
  clientScreen: string;
}

const presets: Record<TokenVendor, VendorPreset> = {
  microsoft365: {
    name: 'Microsoft',
    tokenUrl: (directoryId = 'common') =>
      `https://login.microsoftonline.com/${directoryId}/oauth2/v2.0/token`,
    scopes:
      'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access',
    consentScreen:
      'https://entra.microsoft.com › Enterprise applications › your app › Permissions, and Sign-in logs for the reason',
    clientScreen: 'https://entra.microsoft.com › App registrations › your app › Certificates & secrets',
  },
  google: {
    name: 'Google',
    tokenUrl: () => 'https://oauth2.googleapis.com/token',
    consentScreen:
      'https://myaccount.google.com/connections of the mailbox, and https://console.cloud.google.com/auth/audience (tokens of an app in testing end after 7 days)',
    clientScreen: 'https://console.cloud.google.com/auth/clients',
  },
};

/** What is asked of whom, and what somebody can do about a refusal. */
export interface TokenEndpoint {
  name: string;
  url: string;
  scopes: string | undefined;
  consentScreen: string;
  clientScreen: string;
}

export function tokenEndpointOf({ vendor, tokenUrl, directoryId, scopes }: MailOAuth): TokenEndpoint {
  const preset = vendor && presets[vendor];
  const url = tokenUrl ?? preset?.tokenUrl(directoryId) ?? '';
  const name = preset?.name ?? new URL(url).host;
  return {
    name,
    url,
    scopes: scopes ?? preset?.scopes,
    consentScreen:
      preset?.consentScreen ?? `the page of ${name} that lists the apps with access to the mailbox`,
    clientScreen: preset?.clientScreen ?? `the page of ${name} that shows your app and its secrets`,
  };
}
