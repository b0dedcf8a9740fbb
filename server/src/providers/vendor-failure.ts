export interface VendorError {
  code: string;
  message: string;
}

/** A refusal of the vendor with its own message; thrown by the template functions and by `fetchMedia`. */
export class VendorFailure extends Error {
  readonly code: string;
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
  constructor(code: string, message: string, isTemporary = false) {
    super(message);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

/** A refusal of a channel's credentials. Its message says what somebody must do; until then every retry fails. */
export class CredentialFailure extends VendorFailure {
  /** The setting to correct. */
  readonly path: string;
  constructor(code: string, message: string, path: string) {
    super(code, message, true);
    this.path = path;
  }
}
