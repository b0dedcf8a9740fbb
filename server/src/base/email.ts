/**
 * The address of a person as it is stored and compared: decided here alone. What PostgreSQL makes of it with `lower` depends on the
 * locale of the database, and for letters such as `İ` it is another address.
 */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase().normalize('NFC');
