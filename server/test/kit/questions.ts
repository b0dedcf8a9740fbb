/** POSTs that answer a question, of which the audit log has nothing. */
export const QUESTIONS =
  /\/(search|counts|render|describe|presence|examine|preview|automations\/check|explain|dry_run|funnel)$/;
