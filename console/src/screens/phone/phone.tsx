import { useNavigate, useSearch } from '@tanstack/react-router';
import { useText } from '../../i18n/i18n.tsx';
import type { Customer } from '../../phone/customer.ts';
import { Phone } from '../../phone/phone.tsx';
import styles from './phone.module.css';

/** The customer of the address: `?channelId=…&from=…&name=…`. Anything may stand there. */
function customerIn(search: Record<string, unknown>): Customer | undefined {
  const { channelId, from, name, contactId, isNew } = search;
  if (channelId === undefined || from === undefined) return undefined;
  return {
    channelId: String(channelId),
    from: String(from),
    name: String(name ?? from),
    ...(contactId === undefined ? {} : { contactId: String(contactId) }),
    ...(isNew === true && { isNew }),
  };
}

/** The phone alone, for a window beside another one and for small ones. */
export function PhonePage() {
  const t = useText();
  const navigate = useNavigate();
  const customer = customerIn(useSearch({ strict: false }) as Record<string, unknown>);
  return (
    <div className={styles.page}>
      <h1 className="visually-hidden">{t('phone.title')}</h1>
      <Phone
        customer={customer}
        onCustomer={(next) => void navigate({ to: '/phone', search: next as never, replace: true })}
      />
    </div>
  );
}
