import type { Provider } from '@/lib/api/types'
import { AppleLogo, GoogleLogo } from './provider-logos'

/** The providers in the order in which they are offered. */
export const providers = ['google', 'apple'] as const satisfies readonly Provider[]

/** What the button of each provider shows. */
export const providerButtons = {
  google: { label: 'Continue with Google', Logo: GoogleLogo },
  apple: { label: 'Continue with Apple', Logo: AppleLogo },
} as const
