/** Which of the secrets are in a text, in any form in which they could be written there. */
export const findSecrets = (secrets: Readonly<Record<string, string>>, text: string): string[] =>
  Object.entries(secrets).flatMap(([what, value]) => {
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    const bytes = Buffer.from(value);
    return [...forms, bytes.toString('base64').slice(0, -4), bytes.toString('hex')].some((form) =>
      text.includes(form),
    )
      ? [what]
      : [];
  });
