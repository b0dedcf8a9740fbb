import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Address } from './links.ts';

interface AddressLinkProps {
  address: Address;
  className?: string | undefined;
  tabIndex?: number;
  children: ReactNode;
}

/** A link to what something was about. */
export const AddressLink = ({ address: { to, search }, ...rest }: AddressLinkProps) => (
  <Link to={to} search={search as never} {...rest} />
);
