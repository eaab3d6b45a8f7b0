import type { Provider } from '@/lib/api/types'
import { AppleLogo, GoogleLogo } from './provider-logos'

/** The providers in the order in which they are offered. */
export const providers: readonly Provider[] = ['google', 'apple']

/** Whether an address, or the identity server, names a provider. */
export const isProvider = (value: unknown): value is Provider =>
  providers.some((provider) => provider === value)

/** What the button of each provider shows. */
export const providerButtons = {
  google: { label: 'Continue with Google', Logo: GoogleLogo },
  apple: { label: 'Continue with Apple', Logo: AppleLogo },
} as const
